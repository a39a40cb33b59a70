package norm

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// LRN divides each element by a power of the sum of squares over neighboring channels.
//
// https://onnx.ai/onnx/operators/onnx__LRN.html
var LRN = &op.Op{
	Name:  "LRN",
	Since: []int{1, 13},
	Attrs: []op.Attr{
		{Name: "alpha", Kind: op.Float, Default: 0.0001},
		{Name: "beta", Kind: op.Float, Default: 0.75},
		{Name: "bias", Kind: op.Float, Default: 1.0},
		{Name: "size", Kind: op.Int, Required: true},
	},
	Inputs:  []op.Port{{Name: "X", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   inferLRN,
	Grad:    lrnGrad,
	Lower:   lowerLRN,
	FLOPs:   lrnWork,
	Widen:   true,
}

func inferLRN(c *op.Infer) error {
	x, err := c.Tensor(op.X)
	if err != nil {
		return err
	}
	if len(x.Shape) < 2 {
		return fmt.Errorf("input has rank %d, want 2 or more", len(x.Shape))
	}
	if size := c.Int("size"); size < 1 || size > op.MaxStep {
		return fmt.Errorf("size is %d, want at least 1", size)
	}
	c.Out(0, x)
	return nil
}

func lowerLRN(l *op.Lowering) error {
	s := op.Shape(l.In[op.X])
	l.Call("LRN", l.Out[0], l.In[op.X], s[0], s[1], ir.Size(s[2:]), op.Struct{Type: "LRNParams", Fields: []op.Field{
		{Name: "Size", Value: l.Int("size")}, {Name: "Alpha", Value: l.Float("alpha")}, {Name: "Beta", Value: l.Float("beta")},
		{Name: "Bias", Value: l.Float("bias")},
	}})
	return nil
}

// for base = bias + alpha·mean(x²): dx = dy·base⁻ᵝ - 2·alpha·beta·x·mean(dy·y/base)
func lrnGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x := n.In[op.X]
	alpha, beta := n.Float("alpha"), n.Float("beta")
	size := n.Int("size")
	before, after := (size-1)/2, size/2
	mean := func(v *ir.Value, before, after int) *ir.Value { // over neighboring channels
		line := b.Op("Unsqueeze", b.Op("Reshape", v, b.Ints(0, 0, -1)), b.Ints(1))
		pool := op.Attrs("kernel_shape", []int{size, 1}, "pads", []int{before, 0, after, 0}, "count_include_pad", 1)
		return op.ReshapeLike(b, b.OpA("AveragePool", pool, line), x)
	}
	mul := func(v *ir.Value, f float64) *ir.Value { return b.Op("Mul", v, op.ScalarLike(b, x, f)) }
	base := b.Op("Add", mul(mean(b.Op("Mul", x, x), before, after), alpha), op.ScalarLike(b, x, n.Float("bias")))
	here := b.Op("Mul", dy[0], b.Op("Pow", base, op.ScalarLike(b, x, -beta)))
	others := mean(b.Op("Div", b.Op("Mul", dy[0], n.Out[0]), base), after, before)
	return []*ir.Value{b.Op("Sub", here, b.Op("Mul", mul(x, 2*alpha*beta), others))}
}

// lrnWork counts the squares of the neighboring channels of each element.
func lrnWork(n *ir.Node) ir.Dim {
	channels := op.Shape(n.In[op.X])[1]
	return ir.C(2).Mul(op.OutLen(n)).Mul(op.AtMost(ir.C(n.Int("size")), channels))
}
