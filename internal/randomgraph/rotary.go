package randomgraph

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// rotated adds the rotation of the vectors of heads, [batch, heads, tokens, size], by angles of their tokens, or something near it.
func (d *drawer) rotated(x *ir.Value) *ir.Value {
	tokens, size := need(sizes(x)[2]), need(sizes(x)[3])
	cos, sin := d.angles(tokens, size), d.angles(tokens, size)
	var a, b *ir.Value
	if d.chance(3) {
		halves := d.opN("", "Split", 2, attrs("axis", one(d, 3, -1), "num_outputs", 2), x)
		a, b = halves[0], halves[1]
	} else {
		axis := d.ints(one(d, 3, -1))
		a = d.op("Slice", x, d.ints(0), d.ints(size/2), axis)
		b = d.op("Slice", x, d.ints(one(d, size/2, -size/2)), d.ints(size), axis)
	}
	switch {
	case d.chance(10):
		a = d.op("Neg", a)
	default:
		b = d.op("Neg", b)
	}
	turned := d.opA("Concat", attrs("axis", one(d, 3, -1)), b, a)
	straight := d.op("Mul", d.eitherWay(x, cos)...)
	return d.op("Add", d.eitherWay(straight, d.op("Mul", d.eitherWay(turned, sin)...))...)
}

// angles returns a table for some tokens, whose halves mostly are equal.
func (d *drawer) angles(tokens, size int) *ir.Value {
	v := d.constant(tensor.Float32, one(d, []int{tokens, size}, []int{1, 1, tokens, size})...)
	x := tensor.Data[float32](v.Const)
	for t := range tokens {
		if row := x[t*size : (t+1)*size]; !d.chance(40) {
			copy(row[size/2:], row[:size/2])
		}
	}
	return v
}
