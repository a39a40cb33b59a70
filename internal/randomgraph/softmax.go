package randomgraph

import "github.com/bbgen/bbgen/ir"

// softmax adds a softmax, as an operator or spelled out.
func (d *drawer) softmax() {
	x := d.float(1)
	if d.chance(2) {
		x = d.op(one(d, "Add", "Mul", "Div"), x, d.broadcast(x))
	}
	axis := one(d, -1, -1, -1, 0)
	if d.chance(2) {
		d.opA(one(d, "Softmax", "Softmax", "LogSoftmax", "Hardmax"), attrs("axis", axis), x)
		return
	}
	shifted := x
	if d.chance(2) {
		shifted = d.op("Sub", x, d.opA("ReduceMax", attrs("keepdims", 1), x, d.ints(axis)))
	}
	e := d.op("Exp", shifted)
	d.op("Div", d.maybe(e, func() *ir.Value { return d.op("Exp", x) }), d.opA("ReduceSum", attrs("keepdims", 1), e, d.ints(axis)))
}
