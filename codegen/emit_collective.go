package codegen

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/partitioner"
	"github.com/bbgen/bbgen/runtime/collective"
)

const pkgCollective = "github.com/bbgen/bbgen/runtime/collective"

// emitCollect emits the contribution of a value to a collective:
//
//	e.Collect(&f.Frame, cutSum, edgeWorkerSum, f.x.Memory(), tensor.Raw(f.x.Data), f.x.Shape...)
func (f *frameEmitter) emitCollect(g *jen.Group, s *partitioner.Step) {
	args := []jen.Code{f.frame(), f.emitCut(s.Cut), f.emitEdgeConst(s.Cut.Edge)}
	switch v := s.Node.Arg(peer.CollectiveValue); {
	case s.Cut.Edge.Collective.Kind == collective.Barrier:
		args = append(args, jen.Nil(), jen.Nil())
	case peerplan.IsScalar(v.Type):
		args = append(args, jen.Nil(), jen.Qual(pkgValues, "AppendScalar").Call(jen.Id("e").Dot("Scratch").Call(), f.emitRef(v)))
	default:
		memory := jen.Nil()
		if peerplan.MayBeLarge(v.Type) && (f.Owns(v) || f.Borrows(v)) {
			memory = f.emitRef(v).Dot("Memory").Call()
		}
		args = append(args, memory, jen.Qual(pkgTensor, "Raw").Call(f.emitRef(v).Dot("Data")), f.emitRef(v).Dot("Shape").Op("..."))
	}
	g.Id("e").Dot("Collect").Call(args...)
}

// emitCollective emits the collective in the row of an edge:
//
//	Dims: collective.Words, Collective: &runtime.Collective{Spec: collective.Spec{Kind: collective.AllReduce, Elem: tensor.Float32}}
func (e *partitionEmitter) emitCollective(g *jen.Group, x *partitioner.Edge) {
	c := x.Collective
	g.Id("Dims").Op(":").Qual(pkgCollective, "Words")
	g.Id("Collective").Op(":").Op("&").Qual(pkgRuntime, "Collective").ValuesFunc(func(g *jen.Group) {
		g.Id("Spec").Op(":").Qual(pkgCollective, "Spec").ValuesFunc(func(g *jen.Group) {
			g.Id("Kind").Op(":").Add(emitWord(c.Kind.String()))
			if c.Kind == collective.AllReduce || c.Kind == collective.ReduceScatter || c.Kind == collective.Reduce {
				g.Id("Op").Op(":").Add(emitWord(c.Op.String()))
			}
			g.Id("Elem").Op(":").Qual(pkgTensor, dtypeConst(c.Elem))
			if c.Root != 0 {
				g.Id("Root").Op(":").Lit(c.Root)
			}
			if c.Algorithm != collective.Auto {
				g.Id("Algorithm").Op(":").Add(emitWord(c.Algorithm.String()))
			}
			if c.Finite {
				g.Id("Finite").Op(":").True()
			}
			if c.Codec != collective.Exact {
				g.Id("Codec").Op(":").Qual(pkgCollective, codecConsts[c.Codec])
			}
			if c.Feedback {
				g.Id("Feedback").Op(":").True()
			}
		})
		if c.IfLost != collective.Fail {
			g.Id("IfLost").Op(":").Add(emitWord(c.IfLost.String()))
		}
		if f, _ := e.Receiver(x); f != nil && len(c.State) > 0 {
			g.Id("State").Op(":").Index().Int().Values(e.kept(c.State)...).Comment("/* " + strings.Join(c.State, ", ") + " */")
		}
	})
}

// kept returns the numbers of components by the names of their slots. It skips components without state.
func (e *partitionEmitter) kept(slots []string) (list []jen.Code) {
	for i, s := range e.Kept() {
		if slices.Contains(slots, s.Name) {
			list = append(list, jen.Lit(i))
		}
	}
	return list
}

var codecConsts = map[collective.Codec]string{collective.BFloat16: "BFloat16", collective.Int8: "Int8"}

// emitWord emits a constant of package collective: all_reduce is collective.AllReduce.
func emitWord(s string) *jen.Statement {
	name := ""
	for word := range strings.SplitSeq(s, "_") {
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	return jen.Qual(pkgCollective, name)
}
