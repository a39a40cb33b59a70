package codegen

import (
	"fmt"
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
	return e.emitCount(d)
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
		case *plan.Grow: // is no node
		default:
			panic(fmt.Sprintf("BUG: a block has a step of type %T", s))
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

// emitChainMark emits the start of a chain as a node in the profile, if this run is profiled.
func (e *emitter) emitChainMark(g *jen.Group, c *plan.Chain) {
	if e.marks == nil {
		return
	}
	work, bytes := ir.C(0), ir.C(0)
	for _, s := range c.Calls {
		work = work.Add(op.Lookup(s.Node).Work(s.Node))
	}
	for _, o := range c.Operands {
		bytes = bytes.Add(ir.Size(o.Type.Shape).Mul(ir.C(o.Type.Elem.Size())))
	}
	e.emitBegin(g, e.marks.noted(e.within != nil, c.Node().Name, chainOps(c)), work, bytes)
	if e.within == nil {
		e.marks.noteChain(c)
	}
}

// chainOps returns the operators of a chain, in order: Mul+Erf+Add.
func chainOps(c *plan.Chain) string {
	var ops []string
	for _, s := range c.Calls {
		ops = append(ops, s.Node.Op)
	}
	return strings.Join(ops, "+")
}
