package ml

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// domain is the domain of the operators of classic machine learning.
const domain = "ai.onnx.ml"

// numbers are the element types of most of these operators.
var numbers = elem.Named("float32, float64, int32 or int64", tensor.Float32, tensor.Float64, tensor.Int32, tensor.Int64)

// matrixSize returns the rows and columns of input 0, a matrix of numbers; a vector
// is one row.
func matrixSize(c *op.Infer) (rows, cols ir.Dim, err error) {
	x, err := c.Tensor(op.X)
	if err != nil {
		return rows, cols, err
	}
	if err := c.CheckElems(op.X, numbers); err != nil {
		return rows, cols, err
	}
	switch len(x.Shape) {
	case 1:
		return ir.C(1), x.Shape[0], nil
	case 2:
		return x.Shape[0], x.Shape[1], nil
	}
	return rows, cols, fmt.Errorf("input %q has rank %d, want 1 or 2", c.In[op.X].Name, len(x.Shape))
}

// width returns the last axis of v, or 1.
func width(v *ir.Value) ir.Dim {
	s := op.Shape(v)
	if len(s) == 0 {
		return ir.C(1)
	}
	return s[len(s)-1]
}

// rowsOf returns the rows of v, a matrix; a vector is one row.
func rowsOf(v *ir.Value) ir.Dim {
	if s := op.Shape(v); len(s) == 2 {
		return s[0]
	}
	return ir.C(1)
}

// perFeature returns an error if a list of n elements has neither one for each feature of input 0 nor one for
// all.
func perFeature(c *op.Infer, attr string, n int) error {
	if cols, ok := width(c.In[op.X]).Const(); n == 0 || n != 1 && ok && n != cols {
		return fmt.Errorf("%s has %d elements, want 1 or %s", attr, n, width(c.In[op.X]))
	}
	return nil
}

// numbersOf returns a list attribute as elements of the given type.
func numbersOf(l *op.Lowering, name string, elem tensor.DType, v []float64) *ir.Value {
	switch elem {
	case tensor.Float64:
		return op.Constant(l, name, append([]float64{}, v...))
	case tensor.Int32:
		out := make([]int32, len(v))
		for i, x := range v {
			out[i] = int32(x)
		}
		return op.Constant(l, name, out)
	case tensor.Int64:
		out := make([]int64, len(v))
		for i, x := range v {
			out[i] = int64(x)
		}
		return op.Constant(l, name, out)
	}
	return l.Floats32(name, v)
}

// floats32 returns a constant vector of float32.
func floats32(b *ir.Builder, v []float64) *ir.Value {
	t := make([]float32, len(v))
	for i, x := range v {
		t[i] = float32(x)
	}
	return b.Const(tensor.Of(t, len(t)))
}

// matrix32 returns x as a matrix of float32; a vector is one row.
func matrix32(b *ir.Builder, x *ir.Value) *ir.Value {
	x = op.CastTo(b, x, tensor.Float32)
	if len(op.Shape(x)) == 1 {
		x = b.Op("Unsqueeze", x, b.Ints(0))
	}
	return x
}

// transformed is scores after a post_transform that can be differentiated.
func transformed(b *ir.Builder, y *ir.Value, kind string) (*ir.Value, error) {
	switch kind {
	case "NONE":
		return y, nil
	case "LOGISTIC":
		return b.Op("Sigmoid", y), nil
	case "SOFTMAX":
		return b.OpA("Softmax", op.Attrs("axis", -1), y), nil
	}
	return nil, fmt.Errorf("there is no gradient of post_transform %s", kind)
}
