package randomgraph

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// quantized adds operators on bytes.
func (d *drawer) quantized() {
	switch d.rng.IntN(5) {
	case 0:
		d.dynamic()
	case 1:
		d.unquantize(d.op(one(d, "Relu", "Sigmoid", "Neg", "HardSwish"), d.bytes(d.float(1))))
	default:
		d.betweenBytes()
	}
}

// scale mostly returns a power of two, with which quantization is exact.
func (d *drawer) scale() *ir.Value {
	return ir.NewConst(d.m.FreshName("scale"), tensor.FromFloat(tensor.Float32, one(d, 0.25, 0.5, 0.125, 0.03125, 1, 0.1)))
}

func (d *drawer) zero(t tensor.DType) *ir.Value {
	k := d.rng.IntN(9)
	if t == tensor.Int8 {
		k -= 4
	}
	return ir.NewConst(d.m.FreshName("zero"), tensor.FromFloat(t, float64(k)))
}

// bytes quantizes x to bytes, and back.
func (d *drawer) bytes(x *ir.Value) *ir.Value {
	t := one(d, tensor.Uint8, tensor.Int8)
	scale, zero := d.scale(), d.zero(t)
	q := d.op("QuantizeLinear", x, scale, zero)
	if d.chance(12) {
		scale = d.scale()
	}
	return d.op("DequantizeLinear", q, scale, zero)
}

func (d *drawer) unquantize(x *ir.Value) { d.bytes(x) }

// betweenBytes adds a product or a convolution of bytes with a result in bytes.
func (d *drawer) betweenBytes() {
	var y *ir.Value
	if d.chance(2) {
		x := d.float(2)
		k, n := need(sizes(x)[len(x.Type.Shape)-1]), one(d, 1, 3, 8, 17)
		y = d.op("MatMul", d.bytes(x), d.weights(1, k, n))
		if d.chance(2) {
			y = d.op("Add", d.eitherWay(y, d.bias(n))...)
		}
	} else {
		x := d.exactly(4)
		c, n := need(sizes(x)[1]), one(d, 1, 3, 8)
		in := []*ir.Value{d.bytes(x), d.weights(0, n, c, 2, 2)}
		if d.chance(2) {
			in = append(in, d.bias(n))
		}
		y = d.opA("Conv", attrs("pads", []int{1, 1, 0, 0}), in...)
	}
	if d.chance(2) {
		y = d.op("Relu", y)
	}
	if !d.chance(3) {
		d.unquantize(y)
	}
}

// weights returns constant bytes as floats, with a scale for each index of an axis or one for all.
func (d *drawer) weights(axis int, shape ...int) *ir.Value {
	t := one(d, tensor.Int8, tensor.Int8, tensor.Uint8)
	w := d.constant(t, shape...)
	if d.chance(2) {
		return d.op("DequantizeLinear", w, d.scale(), d.zero(t))
	}
	s := tensor.New(tensor.Float32, shape[axis])
	for i := range tensor.Data[float32](s) {
		tensor.Data[float32](s)[i] = one(d, float32(0.5), 0.25, 0.125)
	}
	in := []*ir.Value{w, ir.NewConst(d.m.FreshName("scales"), s)}
	if d.chance(2) {
		in = append(in, ir.NewConst(d.m.FreshName("zeros"), tensor.New(t, shape[axis])))
	}
	return d.opA("DequantizeLinear", attrs("axis", axis), in...)
}

// bias returns a constant row of floats, or of integers with a scale.
func (d *drawer) bias(n int) *ir.Value {
	if d.chance(2) {
		return d.constant(tensor.Float32, n)
	}
	return d.op("DequantizeLinear", d.constant(tensor.Int32, n), d.scale())
}

// dynamic adds a product of bytes with a scale that depends on data.
func (d *drawer) dynamic() {
	x := d.float(2)
	k, n := need(sizes(x)[len(x.Type.Shape)-1]), one(d, 1, 3, 8, 17)
	q := d.opN("", "DynamicQuantizeLinear", 3, nil, x)
	t := one(d, tensor.Int8, tensor.Uint8)
	in := []*ir.Value{q[0], d.constant(t, k, n), q[2]}
	if d.chance(2) {
		in = append(in, d.zero(t))
	}
	sums := d.opA("Cast", attrs("to", int(tensor.Float32)), d.op("MatMulInteger", in...))
	y := d.op("Mul", sums, d.op("Mul", d.eitherWay(q[1], d.scale())...))
	d.epilogue(y)
}
