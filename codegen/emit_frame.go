package codegen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// emitActivity emits the file of an activity: its frames, including those of its child modules.
func (e *partitionEmitter) emitActivity(j *jen.File, f *frameEmitter) {
	f.emitFrame(j)
	for _, child := range e.frames {
		if child.Module.Parent == f.Module {
			child.emitFrame(j)
		}
	}
}

// emitFrame emits a frame's type and methods.
func (f *frameEmitter) emitFrame(j *jen.File) {
	f.emitConsts(j)
	f.emitType(j)
	f.emitRun(j)
	for _, b := range f.Blocks {
		f.emitBlock(j, b)
	}
	f.emitTasks(j)
	f.emitFill(j)
	f.emitInput(j)
	f.emitEvent(j)
	f.emitNumber(j)
	f.emitClear(j)
	f.emitAppend(j)
}

// emitNumber emits the method that returns the number of the round, if the engine reports rounds.
func (f *frameEmitter) emitNumber(j *jen.File) {
	if f.Module.Short != "" {
		j.Comment("Round is the number of the round.")
		j.Func().Params(f.recv()).Id("Round").Params().Int64().Block(jen.Return(f.emitRound()))
	}
}

func (f *frameEmitter) emitType(j *jen.File) {
	what := "one execution of " + f.Module.Name + " on this peer"
	if f.Module.Parent != nil {
		what = "what one peer sends to an execution of " + f.Module.Parent.Name
	}
	j.Comment(fmt.Sprintf("%s is %s.", f.Type, what))
	j.Type().Id(f.Type).StructFunc(func(g *jen.Group) {
		g.Qual(pkgRuntime, "Frame")
		g.Id("peer").Op("*").Id("peer")
		for _, x := range f.Kept {
			v := x.Value
			typ := emitFieldType(v.Type)
			if x.Stays {
				typ = jen.Qual(pkgValues, "Large").Index(emitElem(v.Type.Elem))
			}
			emitFrameField(g, x.Field, typ, v.Type)
		}
		if len(f.Scratch) > 0 {
			g.Line().Comment("Memory of values that no other block reads.")
		}
		for _, x := range f.Scratch {
			emitFrameField(g, x.Field, emitFieldType(x.Value.Type), x.Value.Type)
		}
	})
}

// emitFrameField emits a field of a frame. A comment has what the Go type does not say.
func emitFrameField(g *jen.Group, name string, typ *jen.Statement, t ir.Type) {
	field := g.Id(name).Add(typ)
	own, ok := peer.OwnOf(t)
	switch {
	case ok:
		field.Comment(fmt.Sprintf("encoded in %d bytes at most", own.Most))
	case t.Equal(peer.Address1):
		field.Comment("an address")
	case t.Kind != ir.Opaque:
		field.Comment(t.String())
	}
}

func (f *frameEmitter) emitRun(j *jen.File) {
	j.Comment("Run runs a block.")
	j.Func().Params(f.recv()).Id("Run").Params(jen.Id("e").Op("*").Qual(pkgRuntime, "Engine"), jen.Id("block").Int()).Error().BlockFunc(func(g *jen.Group) {
		if len(f.Module.Blocks) == 1 {
			g.Return(jen.Id("f").Dot(f.Blocks[0].Const).Call(jen.Id("e")))
			return
		}
		g.Switch(jen.Id("block")).BlockFunc(func(g *jen.Group) {
			for _, b := range f.Blocks {
				g.Case(jen.Id(b.Const)).Block(jen.Return(jen.Id("f").Dot(b.Const).Call(jen.Id("e"))))
			}
		})
		g.Panic(jen.Lit("BUG: there is no such block"))
	})
}

func (f *frameEmitter) emitClear(j *jen.File) {
	if len(f.Kept) == 0 {
		return
	}
	j.Comment("Clear forgets the execution; the frame keeps its memory for another.")
	j.Func().Params(f.recv()).Id("Clear").Params().BlockFunc(func(g *jen.Group) {
		for _, field := range f.Kept {
			v := field.Value
			x := f.emitOwn("f", v)
			switch {
			case peerplan.IsScalar(v.Type):
				g.Add(x).Op("=").Add(emitZero(v.Type))
			case v.Type.Kind == ir.Tensor, peer.IsOwn(v.Type):
				g.Add(x).Dot("Reset").Call()
			case v.Type.Equal(peer.Peers):
				g.Add(x).Op("=").Add(x.Clone()).Index(jen.Op(":").Lit(0))
			case v.Type.Equal(peer.Peer1):
				g.Add(x).Op("=").Qual(pkgWire, "PeerID").Values()
			default:
				g.Add(x).Op("=").Lit("")
			}
		}
	})
}

func emitZero(t ir.Type) *jen.Statement {
	switch t.Elem.GoType() {
	case "bool":
		return jen.False()
	case "string":
		return jen.Lit("")
	}
	return jen.Lit(0)
}
