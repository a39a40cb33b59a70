package codegen

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"
)

// emitProfile emits a second method for runs, which reports when each node begins. It is separate, so that
// the first one is not slowed down; programs that do not use it do not link it.
func (e *emitter) emitProfile(f *jen.File) {
	e.marks, e.named = &marks{}, nil
	f.Comment("profile is run, and reports each node to p: its number in profiled, its arithmetic")
	f.Comment("operations, and the bytes that it reads and writes.")
	e.emitRunMethod(f, "profile")
	e.emitBlocks(f)
	nodes := e.marks.nodes
	e.marks = nil
	f.Comment("profiled are the nodes that profile reports.")
	f.Var().Id("profiled").Op("=").Index().Qual(pkgModel, "ProfiledNode").CustomFunc(multiline, func(g *jen.Group) {
		for _, n := range nodes {
			g.Values(
				jen.Id("Name").Op(":").Lit(n.name),
				jen.Id("Op").Op(":").Lit(n.op),
				jen.Id("Call").Op(":").Lit(strings.Join(slices.Compact(n.calls), ", ")),
			)
		}
	})
	s := jen.Id("s").Op("*").Id("session")
	f.Comment("Profiled lists the nodes that Profile reports.")
	f.Func().Params(s).Id("Profiled").Params().Index().Qual(pkgModel, "ProfiledNode").Block(jen.Return(jen.Id("profiled")))
	f.Comment("Profile is Run, and reports each node to p.")
	f.Func().Params(s).Id("Profile").Params(jen.Id("p").Qual(pkgModel, "Profiler")).Params(jen.Err().Error()).Block(
		jen.Id("c").Op(":=").Id("s").Dot("m").Dot("take").Call(),
		jen.Defer().Id("s").Dot("m").Dot("release").Call(jen.Id("c"), jen.Op("&").Err()),
		jen.Id("c").Dot("profile").Call(jen.Id("p"), jen.Op("&").Id("s").Dot("in"), jen.Op("&").Id("s").Dot("out")),
		jen.Return(jen.Nil()),
	)
}
