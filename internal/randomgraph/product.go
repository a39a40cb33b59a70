package randomgraph

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// product adds a product of matrices and nodes that often follow one.
func (d *drawer) product() {
	x := d.float(2)
	if d.chance(12) {
		if v := d.pick(func(v *ir.Value) bool { return v.Type.Elem.IsFloat() && len(v.Type.Shape) >= 2 }); v != nil {
			x = v
		}
	}
	s := sizes(x)
	k := need(s[len(s)-1])
	n := one(d, 1, 2, 3, 5, 8, 16, 17, k)
	var y *ir.Value
	switch d.rng.IntN(5) {
	case 0:
		y = d.gemm(n)
	case 1:
		y = d.self(x)
	case 2:
		shape := []int{k, n}
		if len(s) > 2 && s[0] > 0 && d.chance(2) {
			shape = []int{s[0], k, n}
		}
		y = d.op("MatMul", x, d.constant(x.Type.Elem, shape...))
	default:
		y = d.op("MatMul", x, d.constant(x.Type.Elem, k, n))
		if n == 17 && d.chance(2) {
			y = d.wide(y)
		}
	}
	d.epilogue(y)
}

// wide adds products with a matrix that is large enough to be stored in 16 bits, and its transpose, and keeps a few columns.
func (d *drawer) wide(x *ir.Value) *ir.Value {
	const width, few = 300, 3
	rank := len(x.Type.Shape)
	w := tensor.New(one(d, x.Type.Elem, tensor.Float16, tensor.BFloat16), width, width)
	fill(w, d.rng, one(d, moderate, smooth))
	y := d.op("MatMul", x, d.constant(x.Type.Elem, 17, width))
	c := ir.NewConst(d.m.FreshName("c"), w)
	if w.DType != x.Type.Elem {
		c = d.opA("Cast", attrs("to", int(x.Type.Elem)), c)
	}
	y = d.epilogue(d.op("MatMul", y, c))
	if rank == 2 && d.chance(2) {
		y = d.opA("Gemm", attrs("transB", 1), y, c)
	}
	return d.op("Slice", y, d.ints(0), d.ints(few), d.ints(rank-1))
}

// gemm adds a Gemm with any of its attributes.
func (d *drawer) gemm(n int) *ir.Value {
	x := d.exactly(2)
	a, b := d.rng.IntN(4)/3, d.rng.IntN(2)
	k := need(sizes(x)[1-a])
	m := sizes(x)[a]
	w := []int{k, n}
	if b == 1 {
		w = []int{n, k}
	}
	in := []*ir.Value{x, d.constant(tensor.Float32, w...)}
	switch d.rng.IntN(5) {
	case 0:
	case 1:
		in = append(in, d.constant(tensor.Float32, 1))
	case 2:
		if m > 0 {
			in = append(in, d.constant(tensor.Float32, m, one(d, 1, n)))
		}
	default:
		in = append(in, d.constant(tensor.Float32, n))
	}
	return d.opA("Gemm", attrs("transA", a, "transB", b, "alpha", one(d, 1, 1, 0.5), "beta", one(d, 1, 1, 2.0)), in...)
}

// self returns a product of x with a value that is not constant.
func (d *drawer) self(x *ir.Value) *ir.Value {
	rank := len(x.Type.Shape)
	perm := make([]int, rank)
	for i := range perm {
		perm[i] = i
	}
	perm[rank-1], perm[rank-2] = rank-2, rank-1
	t := d.opA("Transpose", attrs("perm", perm), x)
	if d.chance(2) {
		return d.op("MatMul", t, x)
	}
	return d.op("MatMul", x, t)
}

// epilogue adds nodes that a product or a convolution may fuse: a bias, a residual, an activation, or similar
// ones.
func (d *drawer) epilogue(y *ir.Value) *ir.Value {
	if d.chance(2) {
		y = d.op(one(d, "Add", "Add", "Add", "Sub", "Mul", "Div"), d.eitherWay(y, d.broadcast(y))...)
	}
	if d.chance(4) {
		other := d.pick(func(v *ir.Value) bool { return v != y && v.Type.Elem == y.Type.Elem && mayBroadcast(v, y) })
		if other != nil {
			y = d.op("Add", d.eitherWay(y, other)...)
		}
	}
	if d.chance(2) {
		y = d.activate(y)
	}
	return y
}

// eitherWay returns two operands in either order.
func (d *drawer) eitherWay(a, b *ir.Value) []*ir.Value {
	if d.chance(2) {
		return []*ir.Value{b, a}
	}
	return []*ir.Value{a, b}
}
