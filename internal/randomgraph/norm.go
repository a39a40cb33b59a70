package randomgraph

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// norm adds a normalization, as an operator or spelled out.
func (d *drawer) norm() {
	switch d.rng.IntN(6) {
	case 0:
		d.layerNorm(d.float(2))
	case 1:
		d.rmsNorm(d.float(2))
	case 2:
		d.batchNorm(d.exactly(one(d, 2, 4, 4)))
	case 3:
		x := d.exactly(one(d, 3, 4))
		c := need(sizes(x)[1])
		d.op("InstanceNormalization", x, d.constant(tensor.Float32, c), d.constant(tensor.Float32, c))
	case 4:
		x := d.float(2)
		n := need(sizes(x)[len(x.Type.Shape)-1])
		in := []*ir.Value{x, d.constant(tensor.Float32, n)}
		if d.chance(2) {
			d.opA("RMSNormalization", attrs("axis", -1), in...)
			return
		}
		d.opA("LayerNormalization", attrs("axis", -1), append(in, d.constant(tensor.Float32, n))...)
	default:
		x := d.exactly(4)
		c := need(sizes(x)[1])
		if c%2 != 0 {
			panic(misfit{})
		}
		d.opA("GroupNormalization", attrs("num_groups", 2), x, d.constant(tensor.Float32, c), d.constant(tensor.Float32, c))
	}
}

// mean adds a mean over the last axis, rarely over another one.
func (d *drawer) mean(x *ir.Value) *ir.Value {
	axis := -1
	if d.chance(10) {
		axis = 0
	}
	return d.opA("ReduceMean", attrs("keepdims", 1), x, d.ints(axis))
}

// layerNorm is a layer normalization spelled out, or nearly one.
func (d *drawer) layerNorm(x *ir.Value) {
	c := func(v float64) *ir.Value { return d.scalar(x.Type.Elem, v) }
	centered := d.op("Sub", x, d.mean(x))
	square := d.maybe(d.op("Pow", centered, c(2)), func() *ir.Value { return d.op("Mul", centered, centered) })
	dev := d.op("Sqrt", d.op("Add", d.eitherWay(d.mean(square), c(one(d, 1e-5, 1e-3, 0.5)))...))
	y := d.op("Div", d.maybe(centered, func() *ir.Value { return x }), dev)
	if d.chance(2) {
		y = d.op("Mul", d.eitherWay(y, d.broadcast(y))...)
	}
	if d.chance(2) {
		d.op("Add", d.eitherWay(y, d.broadcast(y))...)
	}
}

// rmsNorm is a normalization by the root mean square spelled out, or nearly one.
func (d *drawer) rmsNorm(x *ir.Value) {
	c := func(v float64) *ir.Value { return d.scalar(x.Type.Elem, v) }
	m := d.op("Add", d.mean(d.op("Pow", x, c(one(d, 2.0, 2, 2, 4)))), c(one(d, 1e-6, 0.25)))
	var y *ir.Value
	if d.chance(2) {
		y = d.op("Div", x, d.op("Sqrt", m))
	} else {
		y = d.op("Mul", d.eitherWay(x, d.op("Reciprocal", d.op("Sqrt", m)))...)
	}
	if d.chance(2) {
		d.op("Mul", d.eitherWay(y, d.broadcast(y))...)
	}
}

func (d *drawer) batchNorm(x *ir.Value) *ir.Value {
	c := need(sizes(x)[1])
	return d.op("BatchNormalization", x, d.constant(tensor.Float32, c), d.constant(tensor.Float32, c), d.constant(tensor.Float32, c), d.positive(c))
}
