package dsl

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// If returns the results of one of two functions: then if cond, a bool[], is true, and els otherwise. Both
// must return the same number of values of the same types. Their bodies may only compute; other actions of a
// peer cannot depend on a condition this way.
func (g *Graph) If(cond Value, then, els func(g *Graph) []Value) []Value {
	b := g.begin("If")
	yes, a := g.region("then_branch", nil, then)
	no, c := g.region("else_branch", nil, els)
	g.fn.branch = b.outer
	switch {
	case yes == nil || no == nil:
		return g.bad(len(a))
	case len(a) != len(c) || len(a) == 0:
		g.r.failAt(b.pos, "If: one branch gives %d values and the other %d, want as many, and one at least", len(a), len(c))
		return g.bad(len(a))
	}
	for i, v := range a {
		if err := fits(c[i].ir.Type, v.ir.Type); err != nil {
			g.r.failAt(b.pos, "If: value %d of the other branch: %v", i, err)
			return g.bad(len(a))
		}
	}
	return g.flow(b, op.Find("", "If"), []*ir.Region{yes, no}, len(a), cond)
}

// Loop runs body n times, or until body ends it. Body receives the iteration number, from 0, and the carried
// values: those of the iteration before, or initially the ones passed to Loop. It returns the values for the
// next iteration, and a bool[] that is false to end the loop; the zero Value continues. Loop returns the
// values of the last iteration. As in [Graph.If], body may only compute.
func (g *Graph) Loop(n Value, body func(g *Graph, i Value, carried []Value) (again Value, next []Value), first ...Value) []Value {
	b := g.begin("Loop")
	params := []*ir.Value{g.param("i", ir.TensorOf(tensor.Int64)), g.param("again", ir.TensorOf(tensor.Bool))}
	for _, v := range first {
		if v = g.arrived(v); v.value == nil || v.bad {
			g.fn.branch = b.outer
			return g.bad(len(first))
		}
		params = append(params, g.param("carried", v.ir.Type))
	}
	r, out := g.region("body", params, func(g *Graph) []Value {
		var in []Value
		for _, p := range params {
			in = append(in, Value{&value{ir: p, fn: g.fn, branch: b, inside: g.fn.f.Body}})
		}
		again, next := body(g, in[0], in[2:])
		if again.value == nil {
			again = in[1]
		}
		if len(next) != len(first) {
			g.r.failAt(b.pos, "Loop: the body gives %d values to the next time, want %d", len(next), len(first))
			return g.bad(1)
		}
		return append([]Value{again}, next...)
	})
	g.fn.branch = b.outer
	if r == nil {
		return g.bad(len(first))
	}
	for i, v := range out[1:] {
		if err := fits(v.ir.Type, params[2+i].Type); err != nil {
			g.r.failAt(b.pos, "Loop: what the body makes of value %d: %v", i, err)
			return g.bad(len(first))
		}
	}
	return g.flow(b, op.Find("", "Loop"), []*ir.Region{r}, len(first), append([]Value{n, {}}, first...)...)
}

func (g *Graph) begin(of string) *branch {
	b := &branch{of: of, pos: g.r.at(), body: g.fn.f.Body, outer: g.fn.branch}
	g.fn.branch = b
	return b
}

func (g *Graph) param(name string, t ir.Type) *ir.Value {
	return &ir.Value{Name: g.fresh(name), Type: t}
}

// region records a function as a region, which is nil after an error.
func (g *Graph) region(name string, params []*ir.Value, body func(g *Graph) []Value) (*ir.Region, []Value) {
	f, errs := g.fn.f, len(g.r.errs)
	outer := f.Body
	f.Body = &ir.Region{Name: name, Params: params}
	out := body(g)
	r := f.Body
	in, _, err := g.inputs(out)
	if err == nil && slices.Contains(in, nil) {
		err = errNoValue
	}
	if err != nil {
		g.r.failAt(g.fn.branch.pos, "%s: %v", g.fn.branch.of, err)
	}
	f.Body = outer
	if len(g.r.errs) > errs || in == nil && len(out) > 0 { // in is nil if a value is bad: its error has been reported
		return nil, out
	}
	for i, v := range out {
		out[i] = g.arrived(v)
	}
	r.Results = in
	return r, out
}

// flow records the node that the regions belong to. It runs on the peers that have the values the regions
// read.
func (g *Graph) flow(b *branch, o *op.Op, regions []*ir.Region, n int, in ...Value) []Value {
	names := make([]string, n)
	for i := range names {
		names[i] = o.Name
	}
	return g.do(step{op: o, outs: names, in: in, regions: regions, inner: b})
}
