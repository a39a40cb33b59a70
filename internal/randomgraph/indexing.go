package randomgraph

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// indexing adds an operator that reads or writes elements by index.
func (d *drawer) indexing() {
	x := d.any()
	if x == nil || len(x.Type.Shape) == 0 {
		panic(misfit{})
	}
	rank := len(x.Type.Shape)
	axis := d.rng.IntN(rank)
	n := need(sizes(x)[axis])
	switch d.rng.IntN(7) {
	case 0, 1:
		d.opA("Gather", attrs("axis", axis-d.rng.IntN(2)*rank), x, d.places(n, one(d, []int{}, []int{1}, []int{3}, []int{2, 2}, []int{0})...))
	case 2:
		d.opA("GatherElements", attrs("axis", axis), x, d.places(n, d.known(x)...))
	case 3:
		shape := d.known(x)
		d.opA("ScatterElements", attrs("axis", axis, "reduction", one(d, "none", "add", "max", "mul")), x, d.distinct(n, axis, shape), d.constant(x.Type.Elem, shape...))
	case 4:
		n0 := need(sizes(x)[0])
		update := append([]int{1}, d.known(x)[1:]...)
		d.opA("ScatterND", attrs("reduction", one(d, "none", "add", "max")), x, d.places(n0, 1, 1), d.constant(x.Type.Elem, update...))
	case 5:
		n0 := need(sizes(x)[0])
		d.op("GatherND", x, d.places(n0, one(d, 1, 2, 3), 1))
	case 6:
		d.opA("OneHot", attrs("axis", -1), d.places(4, 3), d.ints(4), d.constant(tensor.Float32, 2))
	}
}

// known returns the shape of x, which must be known.
func (d *drawer) known(x *ir.Value) []int {
	s := sizes(x)
	for _, n := range s {
		need(n)
	}
	return s
}

// places returns indices below n, including negative ones.
func (d *drawer) places(n int, shape ...int) *ir.Value {
	t := tensor.New(tensor.Int64, shape...)
	for i := range tensor.Data[int64](t) {
		k := d.rng.IntN(n)
		if d.chance(4) {
			k -= n
		}
		tensor.Data[int64](t)[i] = int64(k)
	}
	return ir.NewConst(d.m.FreshName("at"), t)
}

// distinct returns indices that are distinct along the axis.
func (d *drawer) distinct(n, axis int, shape []int) *ir.Value {
	t := tensor.New(tensor.Int64, shape...)
	inner := 1
	for _, s := range shape[axis+1:] {
		inner *= s
	}
	shift := d.rng.IntN(n)
	for i := range tensor.Data[int64](t) {
		tensor.Data[int64](t)[i] = int64((i/inner%n + shift) % n)
	}
	return ir.NewConst(d.m.FreshName("at"), t)
}
