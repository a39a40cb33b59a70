package recurrent

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// cell is one direction of a recurrent layer in terms of other operators: the computation of its step, and
// its operands.
type cell struct {
	*ir.Builder
	n      *ir.Node
	r      recurrent
	d      int // direction
	hidden int
	gates  []op.Field
	rec    *ir.Value // weights of the state, transposed
	rb     *ir.Value // bias of the state's products, nil for none
	peep   *ir.Value // peepholes of an LSTM, nil for none
}

// stepFunc is a step of a layer: from the states before it and the products of
// the input, the states after it.
type stepFunc func(c *cell, states []*ir.Value, gx *ir.Value) []*ir.Value

// expandRecurrent returns a layer as a Scan for each direction, for differentiation. The products of the
// input precede the Scan.
func expandRecurrent(gates, states int, step stepFunc) func(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	return func(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
		r, err := readRecurrent(n)
		if err != nil {
			return nil, err
		}
		hidden, ok := r.hidden.Const()
		if !ok {
			return nil, fmt.Errorf("the state has %s elements, want a known number", r.hidden)
		}
		x := n.In[recurrentX]
		if r.batchFirst {
			x = b.OpA("Transpose", op.Attrs("perm", []int{1, 0, 2}), x)
		}
		outs := make([][]*ir.Value, 1+states) // of each direction
		for d := range r.directions {
			funcs, err := gateFuncs(n, r.directions)
			if err != nil {
				return nil, err
			}
			c := &cell{Builder: b, n: n, r: r, d: d, hidden: hidden, gates: funcs}
			for i, v := range c.run(x, gates, states, step) {
				outs[i] = append(outs[i], v)
			}
		}
		vs := make([]*ir.Value, 1+states)
		for i, parts := range outs {
			vs[i] = r.together(b, i, parts)
		}
		return vs[:len(n.Out)], b.Err()
	}
}

// together combines the parts of an output from all directions.
func (r recurrent) together(b *ir.Builder, i int, parts []*ir.Value) *ir.Value {
	axis := 0
	if i == 0 {
		axis = 1
	}
	for k, v := range parts {
		parts[k] = b.Op("Unsqueeze", v, b.Ints(axis))
	}
	v := b.OpA("Concat", op.Attrs("axis", axis), parts...)
	switch {
	case !r.batchFirst:
		return v
	case i == 0:
		return b.OpA("Transpose", op.Attrs("perm", []int{2, 0, 1, 3}), v)
	}
	return b.OpA("Transpose", op.Attrs("perm", []int{1, 0, 2}), v)
}

// pick returns the part of an operand for the direction along an axis, or nil if the operand is omitted.
func (c *cell) pick(v *ir.Value, axis int) *ir.Value {
	if v == nil {
		return nil
	}
	return c.OpA("Gather", op.Attrs("axis", axis), v, c.Const(tensor.Of([]int64{int64(c.d)})))
}

// run scans the steps of the direction. It returns the state of each step, and the last states.
func (c *cell) run(x *ir.Value, gates, states int, step stepFunc) []*ir.Value {
	b, n := c.Builder, c.n
	gx := b.Op("MatMul", x, op.SwapLast(b, c.pick(n.In[recurrentW], 0)))
	c.rec = op.SwapLast(b, c.pick(n.In[recurrentR], 0))
	if bias := c.pick(n.Arg(recurrentB), 0); bias != nil {
		both := b.OpN("Split", 2, op.Attrs("axis", 0), bias, b.Ints(gates*c.hidden, gates*c.hidden))
		gx, c.rb = b.Op("Add", gx, both[0]), both[1]
	}
	c.peep = c.pick(n.Arg(recurrentP), 0)
	scan := &ir.Node{Op: "Scan", Name: b.Module.FreshName(b.Prefix + "Scan"), Class: b.Class, Pos: b.Pos}
	for i := range states {
		scan.In = append(scan.In, c.initial(n.Arg(recurrentInitialH+i), x))
	}
	scan.In = append(scan.In, gx)
	if n.Arg(recurrentSequenceLens) != nil {
		scan.In = append(scan.In, c.active(x))
	}
	c.body(scan, states, step)
	back := int64(c.d)
	if n.Str("direction") == "reverse" {
		back = 1
	}
	directions := make([]int64, len(scan.In)-states)
	for i := range directions {
		directions[i] = back
	}
	scan.Attrs = ir.Attrs{
		{Name: "num_scan_inputs", Value: int64(len(directions))},
		{Name: "scan_input_directions", Value: directions},
		{Name: "scan_output_directions", Value: directions[:1]},
	}
	for range states + 1 {
		scan.Out = append(scan.Out, &ir.Value{Name: b.Module.FreshName(scan.Name + "_out"), Def: scan})
	}
	outs := b.Add(scan)
	return append([]*ir.Value{outs[states]}, outs[:states]...)
}

// initial returns a state before the first step.
func (c *cell) initial(v, x *ir.Value) *ir.Value {
	axis := 0
	if c.r.batchFirst {
		axis = 1
	}
	if v != nil {
		return c.pick(v, axis)
	}
	batch := c.OpA("Shape", op.Attrs("start", 1, "end", 2), x)
	if size, ok := c.r.batch.Const(); ok {
		batch = c.Ints(size)
	}
	shape := c.OpA("Concat", op.Attrs("axis", 0), batch, c.Ints(c.hidden))
	return c.Op("Expand", op.ScalarLike(c.Builder, x, 0), shape)
}

// active returns, for each step and sample, whether the sample has that step.
func (c *cell) active(x *ir.Value) *ir.Value {
	b := c.Builder
	steps := b.Op("Squeeze", b.OpA("Shape", op.Attrs("start", 0, "end", 1), x), b.Ints(0))
	zero, one := b.Const(tensor.Of([]int64{0})), b.Const(tensor.Of([]int64{1}))
	at := b.Op("Unsqueeze", b.Op("Range", zero, steps, one), b.Ints(1, 2))
	return b.Op("Less", at, b.Op("Unsqueeze", op.CastTo(b, c.n.In[recurrentSequenceLens], tensor.Int64), b.Ints(0, 2)))
}

// body makes the body of the Scan: a step, and the unchanged states for samples that have ended.
func (c *cell) body(scan *ir.Node, states int, step stepFunc) {
	inner := &ir.Builder{Module: c.Module, Infer: c.Infer, Prefix: c.Prefix + "step_", Class: c.Class, Pos: c.Pos}
	r := &ir.Region{Name: "body"}
	for i, v := range scan.In {
		t := v.Type
		if i >= states {
			t = ir.TensorOf(t.Elem, t.Shape[1:]...)
		}
		r.Params = append(r.Params, &ir.Value{Name: c.Module.FreshName(inner.Prefix + "in"), Type: t})
	}
	outer := c.Builder
	c.Builder = inner
	before := r.Params[:states]
	after := step(c, before, r.Params[states])
	y := after[0]
	if len(r.Params) > states+1 {
		on := r.Params[states+1]
		y = op.ZeroUnless(inner, on, y)
		for i := range after {
			after[i] = inner.Op("Where", on, after[i], before[i])
		}
	}
	c.Builder = outer
	if y == after[0] {
		y = inner.Op("Identity", y)
	}
	r.Nodes, r.Results = inner.Nodes, append(after, y)
	scan.Regions = []*ir.Region{r}
}

// split cuts v into the parts of count gates.
func (c *cell) split(v *ir.Value, count int) []*ir.Value {
	sizes := make([]int, count)
	for i := range sizes {
		sizes[i] = c.hidden
	}
	return c.OpN("Split", count, op.Attrs("axis", len(op.Shape(v))-1), v, c.Ints(sizes...))
}

// gate applies the function of the given name, F, G or H, to a gate. If clip is set, the gate is clipped first.
func (c *cell) gate(name string, v *ir.Value, clip bool) *ir.Value {
	if bound := c.n.Float("clip"); clip && bound > 0 {
		v = c.Op("Clip", v, op.ScalarLike(c.Builder, v, -bound), op.ScalarLike(c.Builder, v, bound))
	}
	if c.d > 0 {
		name += "2"
	}
	var kind op.Const
	var alpha, beta float64
	for _, f := range c.gates {
		if f.Name != name {
			continue
		}
		for _, p := range f.Value.(op.Struct).Fields {
			switch p.Name {
			case "Kind":
				kind = p.Value.(op.Const)
			case "Alpha":
				alpha = p.Value.(float64)
			case "Beta":
				beta = p.Value.(float64)
			}
		}
	}
	a, z := op.ScalarLike(c.Builder, v, alpha), op.ScalarLike(c.Builder, v, beta)
	switch kind {
	case "GateAffine":
		return c.Op("Add", c.Op("Mul", v, a), z)
	case "GateScaledTanh":
		return c.Op("Mul", c.Op("Tanh", c.Op("Mul", v, z)), a)
	case "GateHardSigmoid":
		return c.OpA("HardSigmoid", op.Attrs("alpha", alpha, "beta", beta), v)
	case "GateLeakyRelu", "GateThresholdedRelu", "GateElu":
		return c.OpA(string(kind)[len("Gate"):], op.Attrs("alpha", alpha), v)
	}
	return c.Op(string(kind)[len("Gate"):], v)
}

// plus returns v + w, v where w is nil.
func (c *cell) plus(v, w *ir.Value) *ir.Value {
	if w == nil {
		return v
	}
	return c.Op("Add", v, w)
}
