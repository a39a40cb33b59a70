package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// ZeroGrad is the gradient of operators that are constant almost everywhere:
// Floor, Sign, comparisons.
func ZeroGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return make([]*ir.Value, len(n.In))
}

// unbroadcast sums a gradient over the axes along which x was repeated, so that
// it has the shape of x.
func unbroadcast(b *ir.Builder, dx, x *ir.Value) *ir.Value {
	from, to := Shape(dx), Shape(x)
	if ir.SameShape(from, to) {
		return dx
	}
	lead := len(from) - len(to)
	var axes []int
	for i := range from {
		if i < lead || to[i-lead].Is(1) && !from[i].Is(1) {
			axes = append(axes, i)
		}
	}
	if len(axes) > 0 {
		dx = b.OpA("ReduceSum", ir.Attrs{{Name: "keepdims", Value: int64(1)}}, dx, b.Ints(axes...))
	}
	return reshapeLike(b, dx, x)
}

// reshapeLike is v with the shape of x, which has as many elements.
func reshapeLike(b *ir.Builder, v, x *ir.Value) *ir.Value {
	if ir.SameShape(Shape(v), Shape(x)) {
		return v
	}
	return b.Op("Reshape", v, shapeOf(b, x))
}

// shapeOf is the shape of x as an operand: a constant where it is known.
func shapeOf(b *ir.Builder, x *ir.Value) *ir.Value {
	if s, ok := x.Type.Static(); ok {
		return b.Ints(s...)
	}
	return b.Op("Shape", x)
}

// scalarLike is a constant with the element type of v.
func scalarLike(b *ir.Builder, v *ir.Value, x float64) *ir.Value { return b.Scalar(v.Type.Elem, x) }

// Fill is a tensor of x's shape whose elements are all v.
func Fill(b *ir.Builder, x *ir.Value, v float64) *ir.Value {
	one := tensor.New(x.Type.Elem, 1)
	f := tensor.FromFloat(x.Type.Elem, v)
	copy(one.Bytes(), f.Bytes())
	return b.OpA("ConstantOfShape", ir.Attrs{{Name: "value", Value: one}}, shapeOf(b, x))
}

// attr makes the attributes of a node that a rule builds: integers become
// int64, lists of them []int64.
func attr(pairs ...any) ir.Attrs {
	var out ir.Attrs
	for i := 0; i < len(pairs); i += 2 {
		out.Set(pairs[i].(string), attrValue(pairs[i+1]))
	}
	return out
}

func attrValue(v any) any {
	switch v := v.(type) {
	case int:
		return int64(v)
	case bool:
		if v {
			return int64(1)
		}
		return int64(0)
	case []int:
		out := make([]int64, len(v))
		for i, x := range v {
			out[i] = int64(x)
		}
		return out
	case int64, float64, string, []int64, []float64, []string, *tensor.Tensor:
		return v
	}
	panic(fmt.Sprintf("BUG: no attribute holds a %T", v))
}
