package randomgraph

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// attention adds attention, as an operator or spelled out.
func (d *drawer) attention() {
	x := d.exactly(3)
	width := one(d, 4, 8, 12)
	project := func() *ir.Value {
		y := d.op("MatMul", x, d.constant(tensor.Float32, need(sizes(x)[2]), width))
		if d.chance(2) {
			y = d.op("Add", y, d.constant(tensor.Float32, width))
		}
		return y
	}
	q, k, v := project(), project(), project()
	if d.chance(4) {
		d.opA("Attention", attrs("q_num_heads", 2, "kv_num_heads", 2, "is_causal", d.rng.IntN(2)), q, k, v)
		return
	}
	if d.chance(3) {
		d.scores(q, d.opA("Transpose", attrs("perm", []int{0, 2, 1}), k), v, width)
		return
	}
	split := func(v *ir.Value, perm ...int) *ir.Value {
		return d.opA("Transpose", attrs("perm", perm), d.op("Reshape", v, d.ints(0, 0, 2, width/2)))
	}
	heads, keys := split(q, 0, 2, 1, 3), split(k, 0, 2, 3, 1)
	if d.chance(3) {
		heads = d.rotated(heads)
		keys = d.opA("Transpose", attrs("perm", []int{0, 1, 3, 2}), d.rotated(split(k, 0, 2, 1, 3)))
	}
	y := d.scores(heads, keys, split(v, 0, 2, 1, 3), width/2)
	d.op("Reshape", d.opA("Transpose", attrs("perm", []int{0, 2, 1, 3}), y), d.ints(0, 0, -1))
}

// scores returns softmax(q·k·scale + mask)·v.
func (d *drawer) scores(q, k, v *ir.Value, width int) *ir.Value {
	s := d.op("MatMul", q, k)
	switch d.rng.IntN(3) {
	case 0:
		s = d.op("Div", s, d.scalar(tensor.Float32, float64(width)/2))
	case 1:
		s = d.op("Mul", d.eitherWay(s, d.scalar(tensor.Float32, 0.5))...)
	}
	if d.chance(3) {
		s = d.op("Add", d.eitherWay(s, d.broadcast(s))...)
	}
	axis := -1
	if d.chance(10) {
		axis = -2
	}
	return d.op("MatMul", d.opA("Softmax", attrs("axis", axis), s), v)
}
