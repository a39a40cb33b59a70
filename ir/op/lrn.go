package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// LRN divides each element by a power of the sum of squares over its
// neighbours among the channels.
//
// https://onnx.ai/onnx/operators/onnx__LRN.html
var LRN = &Op{
	Name:  "LRN",
	Since: []int{1, 13},
	Attrs: []Attr{
		{Name: "alpha", Kind: Float, Default: 0.0001},
		{Name: "beta", Kind: Float, Default: 0.75},
		{Name: "bias", Kind: Float, Default: 1.0},
		{Name: "size", Kind: Int, Required: true},
	},
	Inputs:  []Port{{Name: "X", Types: floats}},
	Outputs: []Port{{Name: "Y", Like: "X"}},
	Infer:   inferLRN,
	Grad:    lrnGrad,
	Lower:   lowerLRN,
	Widen:   true,
}

func inferLRN(c *Infer) error {
	x, err := c.Tensor(0)
	if err != nil {
		return err
	}
	if len(x.Shape) < 2 {
		return fmt.Errorf("input has rank %d, want 2 or more", len(x.Shape))
	}
	if size := c.Int("size"); size < 1 || size > maxStep {
		return fmt.Errorf("size is %d, want at least 1", size)
	}
	c.Out(0, x)
	return nil
}

func lowerLRN(l *Lowering) error {
	s := Shape(l.In[0])
	l.Call("LRN", l.Out[0], l.In[0], s[0], s[1], ir.Size(s[2:]), l.Int("size"),
		l.Float("alpha"), l.Float("beta"), l.Float("bias"))
	return nil
}

// for base = bias + alpha·mean(x²): dx = dy·base⁻ᵝ - 2·alpha·beta·x·mean(dy·y/base)
func lrnGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x := n.In[0]
	alpha, beta := n.Float("alpha"), n.Float("beta")
	size := n.Int("size")
	before, after := (size-1)/2, size/2
	mean := func(v *ir.Value, before, after int) *ir.Value { // over the neighbours
		line := b.Op("Unsqueeze", b.Op("Reshape", v, b.Ints(0, 0, -1)), b.Ints(1))
		pool := attr("kernel_shape", []int{size, 1}, "pads", []int{before, 0, after, 0}, "count_include_pad", 1)
		return reshapeLike(b, b.OpA("AveragePool", pool, line), x)
	}
	mul := func(v *ir.Value, f float64) *ir.Value { return b.Op("Mul", v, scalarLike(b, x, f)) }
	base := b.Op("Add", mul(mean(b.Op("Mul", x, x), before, after), alpha), scalarLike(b, x, n.Float("bias")))
	here := b.Op("Mul", dy[0], b.Op("Pow", base, scalarLike(b, x, -beta)))
	others := mean(b.Op("Div", b.Op("Mul", dy[0], n.Out[0]), base), after, before)
	return []*ir.Value{b.Op("Sub", here, b.Op("Mul", mul(x, 2*alpha*beta), others))}
}
