package codegen

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// marks records the nodes that a profiled run has reported so far.
type marks struct {
	nodes []*markedNode
	block int // number of nodes in the current block, relative to the caller's base
}

// markedNode is a node of the profile, or the end of all nodes.
type markedNode struct {
	name, op string
	calls    []string
}

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
	f.Var().Id("profiled").Op("=").Index().Qual(pkgRuntime, "ProfiledNode").CustomFunc(multiline, func(g *jen.Group) {
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
	f.Func().Params(s).Id("Profiled").Params().Index().Qual(pkgRuntime, "ProfiledNode").Block(jen.Return(jen.Id("profiled")))
	f.Comment("Profile is Run, and reports each node to p.")
	f.Func().Params(s).Id("Profile").Params(jen.Id("p").Qual(pkgRuntime, "Profiler")).Params(jen.Err().Error()).Block(
		jen.Id("c").Op(":=").Id("s").Dot("m").Dot("take").Call(),
		jen.Defer().Id("s").Dot("m").Dot("release").Call(jen.Id("c"), jen.Op("&").Err()),
		jen.Id("c").Dot("profile").Call(jen.Id("p"), jen.Op("&").Id("s").Dot("in"), jen.Op("&").Id("s").Dot("out")),
		jen.Return(jen.Nil()),
	)
}

// emitMark emits the report that a node begins, if this run is profiled:
//
//	p.Begin(12, c.batch*802816, 40960)
//
// In a block it has the number base+3.
func (e *emitter) emitMark(g *jen.Group, n *ir.Node) {
	if e.marks == nil {
		return
	}
	o := op.Lookup(n)
	e.emitBegin(g, e.marks.noted(e.within != nil, n.Name, n.Op), o.Work(n), o.Traffic(n))
}

func (e *emitter) emitBegin(g *jen.Group, at *jen.Statement, work, bytes ir.Dim) {
	g.Id("p").Dot("Begin").Call(at, e.emitKnown(work), e.emitKnown(bytes))
}

// emitKnown emits a size, or 0 if the run does not use it.
func (e *emitter) emitKnown(d ir.Dim) *jen.Statement {
	known := true
	d.Syms(func(s string) { known = known && e.syms[s] != "" })
	if !known {
		d = ir.C(0)
	}
	return e.emitDim(d)
}

// noted records a node that begins, and returns its number as code.
func (m *marks) noted(block bool, name, op string) *jen.Statement {
	if block {
		m.block++
		return jen.Id("base").Op("+").Lit(m.block - 1)
	}
	m.nodes = append(m.nodes, &markedNode{name: name, op: op})
	return jen.Lit(len(m.nodes) - 1)
}

// noteChain records the calls of the last marked chain.
func (m *marks) noteChain(c *plan.Chain) {
	for _, s := range c.Calls {
		m.note(s.Kernel)
	}
}

// note records a call of the last marked node.
func (m *marks) note(kernel string) {
	last := m.nodes[len(m.nodes)-1]
	last.calls = append(last.calls, kernel)
}

// noteBlock records the nodes of one repetition of a block, and returns the number of the first.
func (m *marks) noteBlock(steps []plan.Step) (base int) {
	base = len(m.nodes)
	var last *ir.Node
	for _, s := range steps {
		switch c := s.(type) {
		case *plan.Call:
			if c.Node != last {
				m.nodes = append(m.nodes, &markedNode{name: c.Node.Name, op: c.Node.Op})
			}
			m.note(c.Kernel)
			last = c.Node
		case *plan.Chain:
			m.nodes = append(m.nodes, &markedNode{name: c.Node().Name, op: chainOps(c)})
			m.noteChain(c)
			last = nil
		}
	}
	return base
}

// emitEnd emits the report that all nodes are done. Only copies to outputs may follow.
func (e *emitter) emitEnd(g *jen.Group) {
	if e.marks != nil {
		g.Id("p").Dot("End").Call()
	}
}
