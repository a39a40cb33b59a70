package op

import "github.com/bbgen/bbgen/ir"

// ZeroGrad is the gradient of operators that are constant almost everywhere, such as Floor, Sign and
// comparisons.
func ZeroGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return make([]*ir.Value, len(n.In))
}

// NoGrad is the result of a gradient for an input of floats for which the operator is not differentiable.
var NoGrad = &ir.Value{Name: "no gradient"}

// Unbroadcast sums a gradient over the axes along which x was broadcast, so that it has the shape of x. If
// these axes are only known at run time, a kernel finds them.
func Unbroadcast(b *ir.Builder, dx, x *ir.Value) *ir.Value {
	from, to := Shape(dx), Shape(x)
	if ir.SameShape(from, to) {
		return dx
	}
	lead := len(from) - len(to)
	var axes []int
	for i := range from {
		switch {
		case i < lead || to[i-lead].Is(1) && !from[i].Is(1):
			axes = append(axes, i)
		case !to[i-lead].Equal(from[i]):
			return OwnNode(b, "SumTo", nil, dx, x)
		}
	}
	if len(axes) > 0 {
		dx = b.OpA("ReduceSum", ir.Attrs{{Name: "keepdims", Value: int64(1)}}, dx, b.Ints(axes...))
	}
	return ReshapeLike(b, dx, x)
}

// SumInto returns the sum of all elements of v in the shape of x, which has one element.
func SumInto(b *ir.Builder, v, x *ir.Value) *ir.Value {
	return ReshapeLike(b, b.OpA("ReduceSum", Attrs("keepdims", 0), v), x)
}

// SumToChannels returns the sum over all axes except the channels.
func SumToChannels(b *ir.Builder, dy *ir.Value) *ir.Value {
	axes := AllAxes(len(Shape(dy)))
	return b.OpA("ReduceSum", Attrs("keepdims", 0), dy, b.Ints(append(axes[:1:1], axes[2:]...)...))
}
