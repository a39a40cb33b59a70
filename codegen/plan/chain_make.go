package plan

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
)

// makeChain returns the step of a group.
func (ch *chainer) makeChain(g *group) *Chain {
	c := &Chain{Rows: ir.C(1), Len: g.elems, ByRow: g.byRow()}
	if !g.row.Is(0) {
		c.Rows, _ = g.elems.Quo(g.row)
		c.Len = g.row
	}
	operands, temps := map[*Var]*Operand{}, map[*Var]*Temp{}
	for i, m := range g.members {
		c.Calls = append(c.Calls, &Call{*m.Part, m.Node})
		Operands(*m.Part, func(v *ir.Value) {
			x := ch.byValue[v]
			switch {
			case temps[x] != nil:
				temps[x].last = i
				return
			case operands[x] == nil && ch.inside(g, x):
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
	ch.placeTemps(c, temps)
	return c
}

// placeTemps assigns places to intermediate results, each until its last reader. A call may write over its
// operand if the elements have the same type.
func (ch *chainer) placeTemps(c *Chain, temps map[*Var]*Temp) {
	var held []*Temp // by place
	for i, s := range c.Calls {
		t := temps[ch.byValue[s.Node.Out[0]]]
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
