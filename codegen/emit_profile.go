package codegen

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// marks are what a run that tells of its nodes has told so far.
type marks struct {
	nodes []*markedNode
	block int // nodes of the block at hand, which counts from where its caller is
}

// markedNode is a node, or what is done when all of them are.
type markedNode struct {
	name, op string
	calls    []string
}

// emitProfile emits a second run, which says which node begins. It is apart from
// the first so that this one costs nothing; programs that do not ask for it do
// not link it.
func (e *emitter) emitProfile(f *jen.File) {
	e.marks, e.named = &marks{}, nil
	f.Comment("profile is run, except that it tells p of each node: its number in profiled, its arithmetic")
	f.Comment("operations, and the bytes that it reads and writes.")
	e.emitRunMethod(f, "profile")
	e.emitBlocks(f)
	nodes := e.marks.nodes
	e.marks = nil
	f.Comment("profiled are the nodes that profile tells of.")
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
	f.Comment("Profiled lists the nodes that Profile tells of.")
	f.Func().Params(s).Id("Profiled").Params().Index().Qual(pkgRuntime, "ProfiledNode").Block(jen.Return(jen.Id("profiled")))
	f.Comment("Profile is Run, except that it tells p of each node.")
	f.Func().Params(s).Id("Profile").Params(jen.Id("p").Qual(pkgRuntime, "Profiler")).Params(jen.Err().Error()).Block(
		jen.Id("c").Op(":=").Id("s").Dot("m").Dot("take").Call(),
		jen.Defer().Id("s").Dot("m").Dot("release").Call(jen.Id("c"), jen.Op("&").Err()),
		jen.Id("c").Dot("profile").Call(jen.Id("p"), jen.Op("&").Id("s").Dot("in"), jen.Op("&").Id("s").Dot("out")),
		jen.Return(jen.Nil()),
	)
}

// emitMark emits that a node begins, if that is wanted:
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

// emitKnown emits a size, 0 for one that the run does not ask for.
func (e *emitter) emitKnown(d ir.Dim) *jen.Statement {
	known := true
	d.Syms(func(s string) { known = known && e.syms[s] != "" })
	if !known {
		d = ir.C(0)
	}
	return e.emitDim(d)
}

// noted returns the number of a node that begins, in a block or not.
func (m *marks) noted(block bool, name, op string) *jen.Statement {
	if block {
		m.block++
		return jen.Id("base").Op("+").Lit(m.block - 1)
	}
	m.nodes = append(m.nodes, &markedNode{name: name, op: op})
	return jen.Lit(len(m.nodes) - 1)
}

// noteChain notes the calls of the chain that was marked last.
func (m *marks) noteChain(c *plan.Chain) {
	for _, s := range c.Calls {
		m.note(s.Kernel)
	}
}

// note notes a call of the node that was marked last.
func (m *marks) note(kernel string) {
	last := m.nodes[len(m.nodes)-1]
	last.calls = append(last.calls, kernel)
}

// noteBlock notes the nodes of a repetition of a block, and returns the number
// that the first of them has.
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

// emitEnd emits that all nodes are through; outputs that are copies of others
// remain.
func (e *emitter) emitEnd(g *jen.Group) {
	if e.marks != nil {
		g.Id("p").Dot("End").Call()
	}
}
