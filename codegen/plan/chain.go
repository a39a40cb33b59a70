package plan

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// Chain runs elementwise calls on one part of their elements after the other, so that intermediate results
// are never written to memory: see cpu.InParts.
type Chain struct {
	Calls     []*Call // in the form for a part
	Rows, Len ir.Dim  // its elements; operands repeat from row to row
	ByRow     bool    // some operand has a different part for each row
	Operands  []*Operand
	Temps     []*Temp
	Places    int // number of places of a part's size
}

// Operand is an operand that a chain reads from or writes to memory.
type Operand struct {
	*ir.Value
	Walk
	Place         int // EachRow, PerRow: the place where it is repeated
	Read, Written int // the last call that reads it, and the call that writes it; -1 for none
}

// Temp is an intermediate result of a chain.
type Temp struct {
	*ir.Value
	Place int
	last  int // the last call that reads it
}

// Node returns the node of the last call, which represents the chain.
func (c *Chain) Node() *ir.Node { return c.Calls[len(c.Calls)-1].Node }

// chain makes a step of a group.
func (b *builder) chain(g *group) *Chain {
	c := &Chain{Rows: ir.C(1), Len: g.elems, ByRow: g.byRow()}
	if !g.row.Is(0) {
		c.Rows, _ = g.elems.Quo(g.row)
		c.Len = g.row
	}
	operands, temps := map[*Var]*Operand{}, map[*Var]*Temp{}
	for i, m := range g.members {
		c.Calls = append(c.Calls, &Call{*m.Part, m.Node})
		eachOperand(*m.Part, func(v *ir.Value) {
			x := b.byValue[v]
			switch {
			case temps[x] != nil:
				temps[x].last = i
				return
			case operands[x] == nil && b.inside(g, x):
				temps[x] = &Temp{Value: v, last: i}
				c.Temps = append(c.Temps, temps[x])
				return
			case operands[x] == nil:
				operands[x] = &Operand{Value: v, Walk: g.walks[x], Read: -1, Written: -1}
				c.Operands = append(c.Operands, operands[x])
			}
			if v == m.Node.Out[0] {
				operands[x].Written = i
			} else {
				operands[x].Read = i
			}
		})
	}
	for _, o := range c.Operands {
		if o.Kind == EachRow || o.Kind == PerRow {
			o.Place = c.Places
			c.Places++
		}
	}
	b.placeTemps(c, temps)
	return c
}

// placeTemps assigns places to intermediate results, each until its last reader. A call may write over its
// operand if the elements have the same type.
func (b *builder) placeTemps(c *Chain, temps map[*Var]*Temp) {
	var held []*Temp // by place
	for i, s := range c.Calls {
		t := temps[b.byValue[s.Node.Out[0]]]
		if t == nil {
			continue
		}
		k := slices.IndexFunc(held, func(h *Temp) bool { return h.last < i || h.last == i && h.Type.Elem == t.Type.Elem })
		if k < 0 {
			k = len(held)
			held = append(held, nil)
		}
		held[k], t.Place = t, c.Places+k
	}
	c.Places += len(held)
}

// operands visits the variables outside of the chain. Its results are read only after it.
func (c *Chain) operands(p *Plan, v visitor) {
	for _, o := range c.Operands {
		a := Read
		if o.Written >= 0 {
			a = Write
		}
		v.value(p, o.Value, a)
	}
	v.dims(c.Rows, c.Len)
}

func (*Chain) bodies() []*[]Step { return nil }

// replacements calls f for each result of the chain with each operand that it may overwrite, until f returns
// true. No call reads a part of such an operand after the result is written.
func (c *Chain) replacements(f func(y, x *ir.Value) bool) {
	for _, y := range c.Operands {
		for _, x := range c.Operands {
			if y.Written >= 0 && x.Written < 0 && x.Read <= y.Written && x.Kind == Along && !x.IsConst() && f(y.Value, x.Value) {
				break
			}
		}
	}
}

// chained returns the call of a step that may be part of a chain: the only call of its node, on elements of
// fixed size.
func (b *builder) chained(s Step) *Call {
	c, ok := s.(*Call)
	if !ok || c.Part == nil || b.calls[c.Node] != 1 || len(c.Binds)+len(c.Node.Syms) > 0 || op.Lookup(c.Node).Effect {
		return nil
	}
	fits := true
	eachOperand(c.Call, func(v *ir.Value) { fits = fits && v.Type.Kind == ir.Tensor && chainedElem(v) })
	if !fits || !long(ir.Size(c.Node.Out[0].Type.Shape)) {
		return nil
	}
	return c
}
