package plan

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// region plans the nodes of r.
func (b *builder) region(r *ir.Region) ([]Step, error) {
	var steps []Step
	for _, n := range r.Nodes {
		s, err := b.node(n)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n, err)
		}
		steps = append(steps, s...)
		b.planned[n] = true
	}
	return steps, nil
}

// node plans one node.
func (b *builder) node(n *ir.Node) ([]Step, error) {
	for _, v := range n.Out {
		if v != nil && !v.Type.Known() {
			return nil, unsupported(v)
		}
	}
	o := op.Lookup(n)
	if o == nil {
		return nil, fmt.Errorf("no such operator")
	}
	var steps []Step
	var err error
	switch o.Flow {
	case op.Branch:
		steps, err = b.branch(n)
	case op.Iterate:
		steps, err = b.loop(n)
	case op.ScanFlow:
		steps, err = b.scan(n)
	default:
		steps, err = b.lowered(o, n)
	}
	if err != nil {
		return nil, err
	}
	for _, v := range n.Out {
		if v != nil {
			steps = append(steps, b.elems(v)...)
		}
	}
	return steps, nil
}

func unsupported(v *ir.Value) error {
	return fmt.Errorf("value %q has type %s, which says too little to generate code", v.Name, v.Type)
}

// lowered plans a node that consists of kernel calls, or of none.
func (b *builder) lowered(o *op.Op, n *ir.Node) ([]Step, error) {
	switch {
	case o.Lower != nil || o.Alias:
	case o.Peer != nil:
		return nil, fmt.Errorf("is for the peers of a distributed program, which no single program runs")
	default:
		return nil, fmt.Errorf("BUG: operator has no lowering")
	}
	l, err := o.Lowered(n, b.target)
	if err != nil {
		return nil, err
	}
	if o.Alias {
		b.byValue[n.Out[0]] = b.use(n.In[0])
	}
	steps := b.updates(o, n)
	written := map[*ir.Value]bool{}
	for _, v := range n.Out {
		written[v] = v != nil && !o.Alias
	}
	for _, c := range l.Calls {
		for _, v := range operands(c) {
			if b.byValue[v] != nil {
				continue
			}
			if scratch := v.Def == nil && v.Const == nil; written[v] || scratch {
				x := b.define(v)
				b.scratch[v] = scratch
				steps = append(steps, &Grow{x})
				continue
			}
			b.use(v)
		}
		steps = append(steps, &Call{b.resolve(c), n})
		for _, s := range c.Binds {
			b.bindSym(s)
		}
	}
	return steps, nil
}

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

// flag reports whether element i of a list of directions is backward.
func flag(n *ir.Node, attr string, i int) bool {
	v := n.Ints(attr)
	return i < len(v) && v[i] == 1
}
