package randomgraph

import (
	"math"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// movement adds an operator that moves elements.
func (d *drawer) movement() {
	x := d.any()
	if x == nil || len(x.Type.Shape) == 0 {
		panic(misfit{})
	}
	rank := len(x.Type.Shape)
	axis := d.rng.IntN(rank)
	switch d.rng.IntN(12) {
	case 0, 1:
		d.reshape(x)
	case 2:
		perm := d.rng.Perm(rank)
		y := d.opA("Transpose", attrs("perm", perm), x)
		if d.chance(3) {
			d.opA("Transpose", attrs("perm", d.rng.Perm(rank)), d.maybe(y, func() *ir.Value { return d.op("Identity", y) }))
		}
	case 3, 4:
		d.slice(x, axis)
	case 5:
		d.concat(x, axis)
	case 6:
		d.split(x, axis)
	case 7:
		d.pad(x)
	case 8:
		if d.chance(2) {
			d.op("Unsqueeze", x, d.ints(d.rng.IntN(rank+1)))
			return
		}
		d.op("Squeeze", x, d.ints(axis))
	case 9:
		d.expand(x)
	case 10:
		d.opA("Flatten", attrs("axis", axis), x)
	case 11:
		d.opA("Cast", attrs("to", int(one(d, tensor.Float32, tensor.Float32, tensor.Float64, tensor.Int64, tensor.Int32, tensor.Float16, tensor.Bool, tensor.Uint8))), x)
	}
}

// reshape reshapes x by constants, or by arithmetic on its own shape.
func (d *drawer) reshape(x *ir.Value) {
	rank := len(x.Type.Shape)
	switch d.rng.IntN(5) {
	case 0:
		d.op("Reshape", x, d.ints(-1))
	case 1: // two axes become one
		k := d.rng.IntN(rank)
		s := d.op("Shape", x)
		head := d.op("Slice", s, d.ints(0), d.ints(k), d.ints(0))
		d.op("Reshape", x, d.opA("Concat", attrs("axis", 0), head, d.ints(-1)))
	case 2: // to the shape of another value
		y := d.pick(func(y *ir.Value) bool { return ir.Size(y.Type.Shape).Equal(ir.Size(x.Type.Shape)) })
		if y == nil {
			panic(misfit{})
		}
		d.op("Reshape", x, d.op("Shape", y))
	case 3: // an axis is split into two
		n := sizes(x)[rank-1]
		if n%2 != 0 {
			panic(misfit{})
		}
		s := d.op("Shape", x)
		first := d.op("Gather", s, d.ints(0))
		half := d.op("Div", d.op("Gather", s, d.ints(-1)), d.ints(2))
		d.op("Reshape", x, d.opA("Concat", attrs("axis", 0), first, d.ints(-1), half))
	default:
		shape := make([]int, rank)
		if k := d.rng.IntN(rank); d.chance(2) {
			shape[k] = -1
		}
		d.op("Reshape", x, d.ints(append(shape, 1)...))
	}
}

// slice slices x along one or two axes.
func (d *drawer) slice(x *ir.Value, axis int) {
	place := func() int {
		return one(d, 0, 0, 1, 2, 3, -1, -2, -9, 9, math.MaxInt, math.MinInt)
	}
	step := one(d, 1, 1, 1, 2, -1, -1, -2, 3, math.MinInt+1)
	start, end, axes, steps := []int{place()}, []int{place()}, []int{axis}, []int{step}
	if rank := len(x.Type.Shape); rank > 1 && d.chance(3) {
		start, end, axes, steps = append(start, place()), append(end, place()), append(axes, (axis+1)%rank), append(steps, one(d, 1, 1, -1))
	}
	y := d.op("Slice", x, d.ints(start...), d.ints(end...), d.ints(axes...), d.ints(steps...))
	if d.chance(3) {
		d.op("Slice", y, d.ints(place()), d.ints(place()), d.ints(axis), d.ints(one(d, 1, -1, 2)))
	}
}

// concat concatenates x with values of its shape.
func (d *drawer) concat(x *ir.Value, axis int) {
	in := []*ir.Value{x}
	for range d.rng.IntN(3) {
		v := d.pick(func(v *ir.Value) bool {
			return v.Type.Elem == x.Type.Elem && joinable(v.Type.Shape, x.Type.Shape, axis)
		})
		in = append(in, v)
	}
	if shape := sizes(x); d.chance(3) {
		for i, n := range shape {
			if n < 0 {
				if i != axis {
					panic(misfit{})
				}
				shape[i] = 1
			}
		}
		in = append(in, d.constant(x.Type.Elem, shape...))
	}
	d.opA("Concat", attrs("axis", axis), in...)
}

func joinable(a, b []ir.Dim, axis int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if i != axis && !a[i].Equal(b[i]) {
			return false
		}
	}
	return true
}

// split splits x, and may concatenate the parts again.
func (d *drawer) split(x *ir.Value, axis int) {
	n := need(sizes(x)[axis])
	k := d.rng.IntN(n + 1)
	parts := d.opN("", "Split", 2, attrs("axis", axis), x, d.ints(k, n-k))
	switch d.rng.IntN(3) {
	case 0:
		d.opA("Concat", attrs("axis", axis), d.eitherWay(parts[0], parts[1])...)
	case 1: // swiglu, whose halves have equal shapes
		d.op("Mul", d.op("Mul", parts[0], d.op("Sigmoid", parts[0])), parts[1])
	}
}

func (d *drawer) pad(x *ir.Value) {
	pads := make([]int, 2*len(x.Type.Shape))
	for i := range pads {
		if d.chance(3) {
			pads[i] = d.rng.IntN(4) - 1
		}
	}
	mode := one(d, "constant", "constant", "edge", "reflect", "wrap")
	in := []*ir.Value{x, d.ints(pads...)}
	if mode == "constant" && d.chance(2) {
		in = append(in, d.scalar(x.Type.Elem, 1))
	}
	d.opA("Pad", attrs("mode", mode), in...)
}

// expand broadcasts x, or repeats it.
func (d *drawer) expand(x *ir.Value) {
	if d.chance(2) {
		repeats := make([]int, len(x.Type.Shape))
		for i := range repeats {
			repeats[i] = one(d, 1, 1, 2, 3, 0)
		}
		d.op("Tile", x, d.ints(repeats...))
		return
	}
	y := d.pick(func(y *ir.Value) bool { return mayBroadcast(x, y) && !ir.SameShape(x.Type.Shape, y.Type.Shape) })
	if y != nil {
		d.op("Expand", x, d.op("Shape", y))
		return
	}
	shape := make([]int, len(x.Type.Shape)+1)
	for i := range shape {
		shape[i] = 1
	}
	shape[0] = 1 + d.rng.IntN(3)
	d.op("Expand", x, d.ints(shape...))
}
