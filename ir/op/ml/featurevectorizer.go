package ml

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// FeatureVectorizer joins the columns of its inputs; each input is cut or
// filled up with zeros to a given number of columns.
//
// https://onnx.ai/onnx/operators/onnx_aionnxml_FeatureVectorizer.html
var FeatureVectorizer = &op.Op{
	Name:    "FeatureVectorizer",
	Domain:  domain,
	Since:   []int{1},
	Attrs:   []op.Attr{{Name: "inputdimensions", Kind: op.Ints}},
	Inputs:  []op.Port{{Name: "X", Types: numbers, Variadic: true, Min: 1}},
	Outputs: []op.Port{{Name: "Y", Types: elem.Float32s}},
	Infer:   inferFeatureVectorizer,
	Lower:   lowerFeatureVectorizer,

	Expand:  expandFeatureVectorizer,
	Expands: op.Never,
}

func inferFeatureVectorizer(c *op.Infer) error {
	dims := c.Ints("inputdimensions")
	if len(dims) != len(c.In) {
		return fmt.Errorf("inputdimensions has %d elements, want %d", len(dims), len(c.In))
	}
	sum := 0
	for i := range c.In {
		x, err := c.Tensor(i)
		if err != nil {
			return err
		}
		if err := c.CheckElems(i, numbers); err != nil {
			return err
		}
		if len(x.Shape) != 1 && len(x.Shape) != 2 {
			return fmt.Errorf("input %q has rank %d, want 1 or 2", c.In[i].Name, len(x.Shape))
		}
		if dims[i] < 0 || dims[i] > 1<<30 {
			return fmt.Errorf("inputdimensions are %v", dims)
		}
		if a, ok := x.Shape[0].Const(); ok {
			if b, ok := op.Shape(c.In[op.X])[0].Const(); ok && a != b {
				return fmt.Errorf("inputs have %d and %d rows", b, a)
			}
		}
		sum += dims[i]
	}
	c.OutTensor(0, tensor.Float32, op.Shape(c.In[op.X])[0], ir.C(sum))
	return nil
}

func lowerFeatureVectorizer(l *op.Lowering) error {
	from := 0
	for i, n := range l.Ints("inputdimensions") {
		cols := ir.C(1)
		if s := op.Shape(l.In[i]); len(s) == 2 {
			cols = s[1]
		}
		l.Call("FeatureColumns", l.Out[0], l.In[i], cols, op.Shape(l.Out[0])[1], from, n)
		from += n
	}
	return nil
}

// expandFeatureVectorizer returns the inputs, cut or filled up, side by side.
func expandFeatureVectorizer(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	var parts []*ir.Value
	for i, want := range n.Ints("inputdimensions") {
		x := op.CastTo(b, n.In[i], tensor.Float32)
		if len(op.Shape(x)) == 1 {
			x = b.Op("Unsqueeze", x, b.Ints(1))
		}
		cols, ok := op.Shape(x)[1].Const()
		switch {
		case !ok:
			return nil, fmt.Errorf("input %q has %s columns, want a known number", n.In[i].Name, op.Shape(x)[1])
		case cols > want:
			x = op.Leading(b, x, b.Ints(want), 1)
		case cols < want:
			x = b.Op("Pad", x, b.Ints(0, 0, 0, want-cols))
		}
		parts = append(parts, x)
	}
	return []*ir.Value{b.OpA("Concat", op.Attrs("axis", 1), parts...)}, nil
}
