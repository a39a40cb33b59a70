package conv

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// MaxPoolGrad adds each element of dy to the first largest element of its window of x.
var MaxPoolGrad = &op.Op{
	Name:    "MaxPoolGrad",
	Domain:  op.Own,
	Since:   []int{1},
	Attrs:   op.NewestAttrs(maxPoolAttrs),
	Inputs:  []op.Port{poolGradDy: {Name: "dy", Types: elem.Floats}, poolGradX: {Name: "x", Like: "dy"}},
	Outputs: []op.Port{{Name: "dx", Like: "dy"}},
	Infer:   inferMaxPoolGrad,
	Lower:   lowerMaxPoolGrad,
	Stored:  []int{poolGradX},
	Expand:  expandMaxPoolGrad,
	Expands: op.Never,
	Widen:   true,
}

// inferMaxPoolGrad infers an output with the shape of x and the element type of dy.
func inferMaxPoolGrad(c *op.Infer) error {
	dy, err := c.FloatTensor(poolGradDy)
	if err != nil {
		return err
	}
	x, err := c.Tensor(poolGradX)
	c.OutTensor(0, dy.Elem, x.Shape...)
	return err
}

func lowerMaxPoolGrad(l *op.Lowering) error {
	w, err := newPool(op.Alike(l.Node, l.In[1:]))
	if err != nil {
		return err
	}
	row := w.out[len(w.out)-1]
	top, at := l.Scratch(l.In[poolGradDy].Type.Elem, row), l.Scratch(tensor.Int64, row)
	l.Call(l.StoredKernel("MaxPoolGrad"), l.Out[0], l.In[poolGradDy], l.In[poolGradX], top, at, ir.Size(op.Shape(l.In[poolGradX])[:2]), w.arg())
	return nil
}

func expandMaxPoolGrad(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	attrs := append(ir.Attrs{}, n.Attrs...)
	attrs.Delete("storage_order")
	at := b.OpN("MaxPool", 2, attrs, n.In[poolGradX])[1]
	flat := func(v *ir.Value) *ir.Value { return b.Op("Reshape", v, b.Ints(-1)) }
	dx := b.OpA("ScatterElements", op.Attrs("reduction", "add"), flat(op.Fill(b, n.In[poolGradX], 0)), flat(at), flat(n.In[poolGradDy]))
	return []*ir.Value{op.ReshapeLike(b, dx, n.In[poolGradX])}, nil
}
