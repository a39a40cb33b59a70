package randomgraph

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// flow adds control flow, with regions that read surrounding values.
func (d *drawer) flow() {
	if d.depth >= 2 {
		panic(misfit{})
	}
	d.depth++
	defer func() { d.depth-- }()
	switch d.rng.IntN(3) {
	case 0:
		d.branch()
	case 1:
		d.loop()
	default:
		d.scan()
	}
}

// inside draws nodes of a region. Their values are not visible after it. The function result chooses the
// results of the region.
func (d *drawer) inside(r *ir.Region, result func()) {
	nodes, vals := d.nodes, len(d.vals)
	defer func() { d.nodes, d.vals = nodes, d.vals[:vals] }()
	d.nodes = nil
	d.vals = append(d.vals, r.Params...)
	for range 1 + d.rng.IntN(4) {
		d.family()
	}
	result()
	r.Nodes = d.nodes
}

// like returns a value of the type of x, which the last nodes have computed if possible.
func (d *drawer) like(x *ir.Value) *ir.Value {
	return d.pick(func(v *ir.Value) bool { return v.Type.Equal(x.Type) })
}

// branch adds an If on a sum of a value, or on its size.
func (d *drawer) branch() {
	x := d.float(1)
	var cond *ir.Value
	if d.chance(3) {
		cond = d.op("Greater", d.op("Size", x), d.scalarInt(6))
	} else {
		sum := d.opA("ReduceSum", attrs("keepdims", 0), x)
		cond = d.op("Greater", sum, ir.NewConst(d.m.FreshName("c"), tensor.FromFloat(tensor.Float32, 0)))
	}
	n := &ir.Node{Op: "If", In: []*ir.Value{cond}, Out: make([]*ir.Value, 1)}
	for _, name := range []string{"then_branch", "else_branch"} {
		r := &ir.Region{Name: name}
		d.inside(r, func() { r.Results = []*ir.Value{d.like(x)} })
		n.Regions = append(n.Regions, r)
	}
	d.region(n, x.Type)
}

// scalarInt returns a constant int64 of rank 0.
func (d *drawer) scalarInt(k int) *ir.Value {
	return ir.NewConst(d.m.FreshName("k"), tensor.FromFloat(tensor.Int64, float64(k)))
}

// region adds a node with regions, of the newest version, with outputs of the given types.
func (d *drawer) region(n *ir.Node, types ...ir.Type) {
	n.Name, n.Version = d.m.FreshName(n.Op), op.Lookup(n).Newest()
	for i, t := range types {
		n.Out[i] = &ir.Value{Name: d.m.FreshName(n.Name + "_out"), Def: n, Type: t}
	}
	d.nodes = append(d.nodes, n)
	d.vals = append(d.vals, n.Out...)
}

// param returns a parameter of a region.
func (d *drawer) param(t ir.Type) *ir.Value { return &ir.Value{Name: d.m.FreshName("p"), Type: t} }

// loop adds a Loop with a number of iterations that is constant or a size, carried values that may be
// exchanged, and a collected value.
func (d *drawer) loop() {
	x := d.float(1)
	y := d.like(x)
	trips := d.scalarInt(d.rng.IntN(4))
	if d.chance(3) {
		trips = d.op("Gather", d.op("Shape", x), d.scalarInt(0))
	}
	n := &ir.Node{Op: "Loop", In: []*ir.Value{trips, nil, x, y}}
	r := &ir.Region{Name: "body", Params: []*ir.Value{d.param(ir.TensorOf(tensor.Int64)), d.param(ir.TensorOf(tensor.Bool)), d.param(x.Type), d.param(x.Type)}}
	var collected *ir.Value
	d.inside(r, func() {
		a, b := d.like(x), d.like(x)
		if d.chance(4) {
			a, b = r.Params[3], r.Params[2]
		}
		r.Results = []*ir.Value{d.op("Identity", r.Params[1]), a, b}
		if d.chance(2) {
			collected = d.like(x)
			r.Results = append(r.Results, collected)
		}
	})
	n.Regions = []*ir.Region{r}
	types := []ir.Type{x.Type, x.Type}
	if collected != nil {
		types = append(types, ir.TensorOf(x.Type.Elem, append([]ir.Dim{d.trips(trips, n)}, x.Type.Shape...)...))
	}
	n.Out = make([]*ir.Value, len(types))
	d.region(n, types...)
}

// trips returns the number of iterations of a loop.
func (d *drawer) trips(v *ir.Value, n *ir.Node) ir.Dim {
	if t := v.Const; t != nil {
		return ir.C(int(tensor.Data[int64](t)[0]))
	}
	if len(v.Elems) == 1 {
		return v.Elems[0]
	}
	return ir.Sym(d.m.FreshSym(fmt.Sprint(n.Op, "_trips")))
}

// scan adds a Scan along the first axis of a value.
func (d *drawer) scan() {
	x := d.float(2)
	row := ir.TensorOf(x.Type.Elem, x.Type.Shape[1:]...)
	state := d.pick(func(v *ir.Value) bool { return v.Type.Equal(row) })
	if state == nil {
		state = d.opA("ReduceSum", attrs("keepdims", 0), x, d.ints(0))
	}
	n := &ir.Node{Op: "Scan", In: []*ir.Value{state, x}, Attrs: attrs("num_scan_inputs", 1)}
	if d.chance(3) {
		n.Attrs.Set("scan_input_directions", []int64{1})
	}
	if d.chance(3) {
		n.Attrs.Set("scan_output_directions", []int64{1})
	}
	r := &ir.Region{Name: "body", Params: []*ir.Value{d.param(row), d.param(row)}}
	d.inside(r, func() { r.Results = []*ir.Value{d.like(state), d.like(state)} })
	n.Regions = []*ir.Region{r}
	n.Out = make([]*ir.Value, 2)
	d.region(n, row, x.Type)
}
