package randomgraph

import "github.com/bbgen/bbgen/ir"

// activation adds an activation, as an operator or spelled out.
func (d *drawer) activation() { d.activate(d.float(1)) }

func (d *drawer) activate(x *ir.Value) *ir.Value {
	t := x.Type.Elem
	c := func(v float64) *ir.Value { return d.scalar(t, v) }
	switch d.rng.IntN(9) {
	case 0:
		return d.op("Clip", x, c(one(d, 0.0, 0, -1)), c(one(d, 6.0, 6, 1)))
	case 1: // swish
		return d.op("Mul", d.eitherWay(x, d.op("Sigmoid", d.maybe(x, func() *ir.Value { return d.op("Mul", x, c(1.5)) })))...)
	case 2: // gelu by erf
		e := d.op("Erf", d.op("Div", x, c(one(d, 1.4142135, 1.4142135, 2))))
		h := d.op("Mul", d.eitherWay(x, d.op("Add", d.eitherWay(e, c(1))...))...)
		return d.op("Mul", d.eitherWay(h, c(one(d, 0.5, 0.5, 0.25)))...)
	case 3: // gelu by tanh
		cube := d.op("Pow", x, c(one(d, 3.0, 3, 2)))
		in := d.op("Add", d.eitherWay(x, d.op("Mul", d.eitherWay(cube, c(0.044715))...))...)
		th := d.op("Tanh", d.op("Mul", d.eitherWay(in, c(0.7978846))...))
		return d.op("Mul", c(0.5), d.op("Mul", x, d.op("Add", th, c(1))))
	case 4: // hard swish
		r := d.op("Clip", d.op("Add", d.eitherWay(x, c(3))...), c(0), c(6))
		return d.op("Div", d.op("Mul", d.eitherWay(x, r)...), c(6))
	case 5: // clamped twice
		return d.op("Min", d.op("Max", d.eitherWay(x, c(-1))...), c(one(d, 1.0, -2)))
	}
	return d.opA(one(d, "Relu", "Relu", "Tanh", "Sigmoid", "LeakyRelu", "Elu", "HardSigmoid", "HardSwish", "Gelu", "Softplus", "Mish", "Selu", "Neg", "Abs", "Exp", "Sqrt", "Reciprocal"), nil, x)
}

// maybe returns x, rarely something else.
func (d *drawer) maybe(x *ir.Value, other func() *ir.Value) *ir.Value {
	if d.chance(5) {
		return other()
	}
	return x
}
