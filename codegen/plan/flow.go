package plan

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// branch plans an If: each branch copies its results to the outputs.
func (b *builder) branch(n *ir.Node) ([]Step, error) {
	step := &If{Node: n, Cond: b.use(n.In[0])}
	for _, v := range n.Out {
		if v != nil {
			b.defineEither(n, v)
			b.freeSyms(v)
		}
	}
	var err error
	if step.Then, err = b.arm(n, "then_branch"); err != nil {
		return nil, err
	}
	if step.Else, err = b.arm(n, "else_branch"); err != nil {
		return nil, err
	}
	return []Step{step}, nil
}

func (b *builder) arm(n *ir.Node, name string) ([]Step, error) {
	r := n.Region(name)
	steps, err := b.region(r)
	if err != nil {
		return nil, err
	}
	return append(steps, b.assign(n.Out, r.Results)...), nil
}

// assign copies values to variables and binds the symbols that are axes of the variables' types, with the
// effect of a simultaneous assignment.
func (b *builder) assign(dst, src []*ir.Value) []Step {
	bind := &Bind{}
	var steps, late []Step
	for i, d := range dst {
		if d == nil {
			continue
		}
		to, from := b.byValue[d], b.use(src[i])
		for k, dim := range d.Type.Shape {
			if s, ok := dim.Symbol(); ok && k < len(src[i].Type.Shape) && !src[i].Type.Shape[k].Equal(dim) {
				bind.Syms = append(bind.Syms, s)
				bind.Values = append(bind.Values, src[i].Type.Shape[k])
			}
		}
		switch {
		case to == from:
		case b.clobbered(from, dst[:i]):
			tmp := b.temp(from)
			steps = append(steps, &Copy{Dst: tmp, Src: from, to: tmp.Value, from: src[i]})
			late = append(late, &Copy{Dst: to, Src: tmp, to: d, from: tmp.Value})
		default:
			late = append(late, &Copy{Dst: to, Src: from, to: d, from: src[i]})
		}
	}
	steps = append(steps, late...)
	if len(bind.Syms) > 0 {
		steps = append(steps, dedup(bind))
	}
	return steps
}

// clobbered reports whether one of the variables of dst is x.
func (b *builder) clobbered(x *Var, dst []*ir.Value) bool {
	for _, d := range dst {
		if d != nil && b.byValue[d] == x {
			return true
		}
	}
	return false
}

// temp returns a variable for a copy of x.
func (b *builder) temp(x *Var) *Var {
	v := &ir.Value{Name: x.Value.Name + "_copy", Type: x.Type}
	t := b.place(v, Own, 0)
	b.Vars = append(b.Vars, t)
	return t
}

// dedup keeps the first value for each symbol.
func dedup(x *Bind) *Bind {
	out := &Bind{}
	seen := map[string]bool{}
	for i, s := range x.Syms {
		if !seen[s] {
			seen[s] = true
			out.Syms = append(out.Syms, s)
			out.Values = append(out.Values, x.Values[i])
		}
	}
	return out
}

// freeSyms declares the symbols in v's type.
func (b *builder) freeSyms(v *ir.Value) {
	for _, d := range v.Type.Shape {
		if s, ok := d.Symbol(); ok {
			b.bindSym(s)
		}
	}
}

// own returns a variable with a buffer of its own, for a value that changes from iteration to iteration.
func (b *builder) own(v *ir.Value) *Var {
	x := b.place(v, Own, 0)
	b.Vars = append(b.Vars, x)
	b.freeSyms(v)
	return x
}

// loop plans a Loop. A carried value has one variable: its parameter in the body, which is the node's output
// after the loop.
func (b *builder) loop(n *ir.Node) ([]Step, error) {
	body := n.Region("body")
	carried := len(n.In) - 2
	step := &Loop{Node: n}
	if n.In[0] != nil {
		step.Trips = b.use(n.In[0])
	}
	step.Iter = b.own(body.Params[0])
	step.Cond = b.own(body.Params[1])
	if n.In[1] != nil {
		step.Start = append(step.Start, &Copy{Dst: step.Cond, Src: b.use(n.In[1])})
	} else {
		step.Start = append(step.Start, &Copy{Dst: step.Cond, Src: b.use(ir.NewConst("true", tensor.Of([]bool{true})))})
	}
	for _, p := range body.Params[2:] {
		b.own(p)
	}
	step.Start = append(step.Start, b.assign(body.Params[2:], n.In[2:])...)
	for _, p := range body.Params {
		step.Body = append(step.Body, b.elems(p)...)
	}
	steps, err := b.region(body)
	if err != nil {
		return nil, err
	}
	step.Body = append(step.Body, steps...)
	for k, r := range body.Results[1+carried:] {
		v := n.Res(carried + k)
		if v == nil {
			continue
		}
		b.collect(v, r, &step.Start, &step.Body)
		if s, ok := v.Type.Shape[0].Symbol(); ok {
			step.Count = s
		}
	}
	step.Body = append(step.Body, b.assign(body.Params[1:2+carried], body.Results[:1+carried])...)
	return append([]Step{step}, b.carryOut(n.Out[:min(carried, len(n.Out))], body.Params[2:])...), nil
}

// carryOut makes outputs share the variables of their parameters, and binds the outputs' symbols to those of
// the parameters.
func (b *builder) carryOut(outs, params []*ir.Value) []Step {
	bind := &Bind{}
	for i, v := range outs {
		if v == nil {
			continue
		}
		b.byValue[v] = b.byValue[params[i]]
		b.carried[v] = params[i]
		for k, d := range v.Type.Shape {
			if s, ok := d.Symbol(); ok && !params[i].Type.Shape[k].Equal(d) {
				b.bindSym(s)
				bind.Syms = append(bind.Syms, s)
				bind.Values = append(bind.Values, params[i].Type.Shape[k])
			}
		}
	}
	if len(bind.Syms) == 0 {
		return nil
	}
	return []Step{dedup(bind)}
}

// collect plans the concatenation v of the values of r from all iterations. The symbols of v's type after its
// first axis are 0 at the start, and then the sizes of r.
func (b *builder) collect(v, r *ir.Value, start, each *[]Step) {
	x := b.own(v)
	none, sizes := &Bind{}, &Bind{}
	for k, d := range v.Type.Shape[1:] {
		if s, ok := d.Symbol(); ok && !r.Type.Shape[k].Equal(d) {
			none.Syms, none.Values = append(none.Syms, s), append(none.Values, ir.C(0))
			sizes.Syms, sizes.Values = append(sizes.Syms, s), append(sizes.Values, r.Type.Shape[k])
		}
	}
	*start = append(*start, &Clear{x})
	*each = append(*each, &Append{x, b.use(r)})
	if len(none.Syms) > 0 {
		*start, *each = append(*start, dedup(none)), append(*each, dedup(sizes))
	}
}

// scan plans a Scan along the first axes.
func (b *builder) scan(n *ir.Node) ([]Step, error) {
	body := n.Region("body")
	states := len(n.In) - n.Int("num_scan_inputs")
	if states == len(n.In) {
		return nil, fmt.Errorf("has no scan inputs")
	}
	step := &Scan{Node: n, Rows: n.In[states].Type.Shape[0]}
	for _, p := range body.Params[:states] {
		b.own(p)
	}
	step.Start = b.assign(body.Params[:states], n.In[:states])
	for k, p := range body.Params[states:] {
		x := b.own(p)
		x.Place = View
		step.Slices = append(step.Slices, &Slice{x, b.use(n.In[states+k]), ir.Size(p.Type.Shape), flag(n, "scan_input_directions", k)})
		step.Body = append(step.Body, b.elems(p)...)
	}
	steps, err := b.region(body)
	if err != nil {
		return nil, err
	}
	step.Body = append(step.Body, steps...)
	for k, r := range body.Results[states:] {
		v := n.Res(states + k)
		if v == nil {
			continue
		}
		if !ir.SameShape(v.Type.Shape[1:], r.Type.Shape) {
			b.collect(v, r, &step.Start, &step.Body)
			continue
		}
		x := b.define(v)
		step.Start = append(step.Start, &Grow{x})
		step.Body = append(step.Body, &Row{x, b.use(r), ir.Size(r.Type.Shape), step.Rows, flag(n, "scan_output_directions", k)})
	}
	step.Body = append(step.Body, b.assign(body.Params[:states], body.Results[:states])...)
	return append([]Step{step}, b.carryOut(n.Out[:min(states, len(n.Out))], body.Params[:states])...), nil
}

// flag reports whether element i of a list of directions is backward.
func flag(n *ir.Node, attr string, i int) bool {
	v := n.Ints(attr)
	return i < len(v) && v[i] == 1
}
