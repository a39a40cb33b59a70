package random

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Bernoulli draws 1 with the probability in its input, and 0 otherwise.
//
// https://onnx.ai/onnx/operators/onnx__Bernoulli.html
var Bernoulli = &op.Op{
	Name:  "Bernoulli",
	Since: []int{15, 22},
	Attrs: []op.Attr{
		{Name: "dtype", Kind: op.Int},
		{Name: "seed", Kind: op.Float},
		{Name: "counter", Kind: op.String, Own: true},
	},
	Inputs:  []op.Port{{Name: "input", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "output", Types: elem.NumbersOrBools}},
	Infer:   inferBernoulli,
	Grad:    op.ZeroGrad,
	Lower:   lowerBernoulli,
	Expand:  expandBernoulli,
	Expands: func(n *ir.Node) bool { return op.Small(n) || n.Out[0].Type.Elem == tensor.Bool },
	Random:  true,
}

func inferBernoulli(c *op.Infer) error {
	x, err := c.Tensor(op.X)
	if err != nil {
		return err
	}
	to, err := op.DtypeAttr(c.Node, "dtype", x.Elem)
	if err != nil {
		return err
	}
	c.OutTensor(0, to, x.Shape...)
	return elem.Numbers.Or("a number or bool", elem.Bools).CheckAttr("dtype", to)
}

func lowerBernoulli(l *op.Lowering) error {
	l.Call("Bernoulli", l.Out[0], l.In[op.X], seed(l.Node))
	return nil
}

// expandBernoulli draws bytes and casts.
func expandBernoulli(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	p := n.In[op.X]
	if p.Type.Elem.IsSmallFloat() {
		p = op.Cast(b, p, tensor.Float32)
	}
	attrs := append(ir.Attrs{}, n.Attrs...)
	attrs.Set("dtype", int64(tensor.Uint8))
	return []*ir.Value{op.Cast(b, b.OpA("Bernoulli", attrs, p), n.Out[0].Type.Elem)}, nil
}
