package op

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Bernoulli draws 1 with the probability that its input gives, else 0.
//
// https://onnx.ai/onnx/operators/onnx__Bernoulli.html
var Bernoulli = &Op{
	Name:  "Bernoulli",
	Since: []int{15, 22},
	Attrs: []Attr{
		{Name: "dtype", Kind: Int},
		{Name: "seed", Kind: Float},
		{Name: "counter", Kind: String, Own: true},
	},
	Inputs:  []Port{{Name: "input", Types: floats}},
	Outputs: []Port{{Name: "output", Types: numbersOrBool}},
	Infer:   inferBernoulli,
	Grad:    ZeroGrad,
	Lower:   lowerBernoulli,
	Expand:  expandBernoulli,
	Expands: func(n *ir.Node) bool { return Small(n) || n.Out[0].Type.Elem == tensor.Bool },
	Random:  true,
}

func inferBernoulli(c *Infer) error {
	x, err := c.Tensor(0)
	if err != nil {
		return err
	}
	to, err := dtypeAttr(c.Node, "dtype", x.Elem)
	if err != nil {
		return err
	}
	c.OutTensor(0, to, x.Shape...)
	return numbers.or("a number or bool", bools).checkType("dtype", to)
}

func lowerBernoulli(l *Lowering) error {
	l.Call("Bernoulli", l.Out[0], l.In[0], seed(l.Node))
	return nil
}

// expandBernoulli draws bytes and casts.
func expandBernoulli(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	p := n.In[0]
	if p.Type.Elem.IsSmallFloat() {
		p = Cast(b, p, tensor.Float32)
	}
	attrs := append(ir.Attrs{}, n.Attrs...)
	attrs.Set("dtype", int64(tensor.Uint8))
	return []*ir.Value{Cast(b, b.OpA("Bernoulli", attrs, p), n.Out[0].Type.Elem)}, nil
}
