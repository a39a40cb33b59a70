package codegen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/plan"
)

// emitContext emits the struct that holds the values of one run.
func (e *emitter) emitContext(f *jen.File) {
	f.Comment(e.name("context") + " holds the values of one run between its inputs and its outputs.")
	f.Type().Id(e.name("context")).StructFunc(func(g *jen.Group) {
		if e.hasConstants() {
			g.Id("w").Op("*").Id(e.name("weights"))
		}
		if e.trains {
			g.Id("s").Op("*").Id("state")
		}
		if e.part != "" && !e.trains {
			in, out := e.portTypes()
			g.Id("in").Id(in)
			g.Id("out").Id(out)
		}
		if e.hasArena() {
			g.Id("arena").Index().Byte().Comment(fmt.Sprintf("%d bytes, shared by values that do not live at the same time", e.p.Arena))
		}
		for _, s := range e.p.Syms {
			g.Id(e.syms[s]).Int()
		}
		for _, d := range e.slotTypes() {
			g.Id(slotField(d)).Index(jen.Lit(e.p.Slots[d])).Index().Add(emitElem(d)).Comment("buffers of values whose size varies")
		}
		for _, x := range e.contextVars() {
			g.Id(e.vars[x]).Add(emitType(x.Type)).Comment(x.Type.String())
		}
		for _, n := range e.chainTypes {
			g.Id(n.field).Id(n.typ)
		}
	})
}

// emitNewContext emits the constructor, which assigns each value of fixed size its part of the arena:
//
//	c.relu1 = tensor.View[float32](c.arena, 4096, 512)
func (e *emitter) emitNewContext(f *jen.File) {
	name := e.constructor()
	var params, fields []jen.Code
	if e.hasConstants() {
		params = append(params, jen.Id("w").Op("*").Id(e.name("weights")))
		fields = append(fields, jen.Id("w").Op(":").Id("w"))
	}
	if e.trains {
		params = append(params, jen.Id("s").Op("*").Id("state"))
		fields = append(fields, jen.Id("s").Op(":").Id("s"))
	}
	made := jen.Op("&").Id(e.name("context")).Values(fields...)
	if !e.hasArena() {
		f.Comment(name + " makes a context, whose values grow as runs need them.")
		f.Func().Id(name).Params(params...).Op("*").Id(e.name("context")).Block(jen.Return(made))
		return
	}
	f.Comment(name + " lays the values of fixed size out in the arena.")
	f.Func().Id(name).Params(params...).Op("*").Id(e.name("context")).BlockFunc(func(g *jen.Group) {
		g.Id("c").Op(":=").Add(made)
		g.Id("c").Dot("arena").Op("=").Qual(pkgTensor, "Aligned").Call(jen.Lit(e.p.Arena))
		for _, x := range e.contextVars() {
			if x.Place != plan.Arena {
				continue
			}
			n, _ := x.Len.Const()
			g.Id("c").Dot(e.vars[x]).Op("=").Qual(pkgTensor, "View").Index(emitElem(x.Type.Elem)).Call(jen.Id("c").Dot("arena"), jen.Lit(x.Off), jen.Lit(n))
		}
		g.Return(jen.Id("c"))
	})
}
