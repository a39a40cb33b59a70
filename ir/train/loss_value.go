package train

import (
	"cmp"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The losses that compare numbers, element by element.

// mse is (x-y)².
func mse(l *lossBuilder) (*ir.Value, error) {
	return l.reduce(l.square(l.Op("Sub", l.x, l.same()))), nil
}

// l1 is |x-y|.
func l1(l *lossBuilder) (*ir.Value, error) {
	return l.reduce(l.Op("Abs", l.Op("Sub", l.x, l.same()))), nil
}

// huber is d²/2 for d = |x-y| up to delta, then delta·(d-delta/2).
func huber(l *lossBuilder) (*ir.Value, error) { return l.reduce(l.bent(1)), nil }

// smoothL1 is huber over delta.
func smoothL1(l *lossBuilder) (*ir.Value, error) { return l.reduce(l.bent(1 / l.delta())), nil }

func (l *lossBuilder) delta() float64 {
	if l.Delta == 0 {
		return 1
	}
	return l.Delta
}

// bent returns a function that is quadratic and then linear:
//
//	m = min(d, delta)
//	factor · m·(d - m/2)
func (l *lossBuilder) bent(factor float64) *ir.Value {
	d := l.Op("Abs", l.Op("Sub", l.x, l.same()))
	m := l.Op("Min", d, l.num(l.delta()))
	y := l.Op("Mul", m, l.Op("Sub", d, l.Op("Mul", m, l.num(0.5))))
	if factor != 1 {
		y = l.Op("Mul", y, l.num(factor))
	}
	return y
}

// bce is -(y·log x + (1-y)·log(1-x)), with logarithms of at least -100.
func bce(l *lossBuilder) (*ir.Value, error) {
	y := l.same()
	one := l.num(1)
	a := l.Op("Mul", y, l.boundedLog(l.x))
	b := l.Op("Mul", l.Op("Sub", one, y), l.boundedLog(l.Op("Sub", one, l.x)))
	return l.reduce(l.Op("Neg", l.Op("Add", a, b))), nil
}

// boundedLog is the logarithm of v, and at least -100. A sigmoid is 0 or 1 for scores that are far from 0: the derivative
// there is PyTorch's 1e12, and neither infinite nor that of a constant, whose product with 0 would be NaN.
func (l *lossBuilder) boundedLog(v *ir.Value) *ir.Value {
	slope := 1e12
	if v.Type.Elem == tensor.Float16 {
		slope = 1e4 // the other one would be infinite
	}
	none := l.Op("Equal", v, l.num(0))
	steep := l.Op("Sub", l.Op("Mul", v, l.num(slope)), l.num(100))
	log := l.Op("Log", l.Op("Where", none, l.num(1), v))
	return l.Op("Where", none, steep, l.Op("Max", log, l.num(-100)))
}

// bceLogits is bce of the sigmoid of x:
//
//	(1-y)·x + softplus(-x)
func bceLogits(l *lossBuilder) (*ir.Value, error) { return l.reduce(l.logits(l.same())), nil }

func (l *lossBuilder) logits(y *ir.Value) *ir.Value {
	a := l.Op("Mul", l.Op("Sub", l.num(1), y), l.x)
	return l.Op("Add", a, l.Op("Softplus", l.Op("Neg", l.x)))
}

// focal is bce of the sigmoid of x, multiplied by (1-q)^gamma, where q is the probability of the correct
// class, and by alpha if y is 1 or 1-alpha if y is 0. It reduces the weight of samples that are already
// correct.
//
// Lin et al., Focal Loss for Dense Object Detection, https://arxiv.org/abs/1708.02002
func focal(l *lossBuilder) (*ir.Value, error) {
	y, one := l.same(), l.num(1)
	not := l.Op("Sub", one, y)
	p := l.Op("Sigmoid", l.x)
	wrong := l.Op("Add", l.Op("Mul", y, l.Op("Sub", one, p)), l.Op("Mul", not, p)) // 1-q
	each := l.Op("Mul", l.logits(y), l.Op("Pow", wrong, l.num(cmp.Or(l.Gamma, 2))))
	if alpha := cmp.Or(l.Alpha, 0.25); alpha >= 0 {
		weight := l.Op("Add", l.Op("Mul", y, l.num(alpha)), l.Op("Mul", not, l.num(1-alpha)))
		each = l.Op("Mul", each, weight)
	}
	return l.reduce(each), nil
}

// kl is y·(log y - x), or 0 where y is 0; x holds log-probabilities. The reduction batchmean divides the sum
// by the number of samples, as in the definition of the divergence.
func kl(l *lossBuilder) (*ir.Value, error) {
	y := l.same()
	positive := l.Op("Greater", y, l.num(0))
	safe := l.Op("Where", positive, y, l.num(1))
	each := l.Op("Where", positive, l.Op("Mul", y, l.Op("Sub", l.Op("Log", safe), l.x)), l.num(0))
	if l.Reduction != "batchmean" {
		return l.reduce(each), nil
	}
	return l.Op("Div", l.OpA("ReduceSum", attrs("keepdims", int64(0)), each), l.batch()), nil
}

// batch returns the number of samples, as a number of the output's type.
func (l *lossBuilder) batch() *ir.Value {
	if len(l.x.Type.Shape) == 0 {
		return l.num(1)
	}
	if n, ok := l.x.Type.Shape[0].Const(); ok {
		return l.num(float64(n))
	}
	n := l.OpA("Shape", attrs("start", int64(0), "end", int64(1)), l.x)
	return l.Op("Squeeze", l.Op("CastLike", n, l.x))
}
