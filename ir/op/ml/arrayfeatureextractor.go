package ml

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [ArrayFeatureExtractor].
const (
	extractX = iota
	extractY
)

// ArrayFeatureExtractor selects elements along the last axis.
//
// https://onnx.ai/onnx/operators/onnx_aionnxml_ArrayFeatureExtractor.html
var ArrayFeatureExtractor = &op.Op{
	Name:    "ArrayFeatureExtractor",
	Domain:  domain,
	Since:   []int{1},
	Inputs:  []op.Port{extractX: {Name: "X", Types: elem.Any}, extractY: {Name: "Y", Types: elem.Int64s}},
	Outputs: []op.Port{{Name: "Z", Like: "X"}},
	Infer:   inferArrayFeatureExtractor,
	Lower: func(l *op.Lowering) error {
		l.Call("TakeColumns", l.Out[0], l.In[extractX], l.In[extractY], width(l.In[extractX]))
		return nil
	},

	Expand:  expandArrayFeatureExtractor,
	Expands: op.Never,
}

func inferArrayFeatureExtractor(c *op.Infer) error {
	x, err := c.Tensor(extractX)
	if err != nil {
		return err
	}
	y, err := c.Tensor(extractY)
	if err != nil {
		return err
	}
	if y.Elem != tensor.Int64 {
		return fmt.Errorf("input %q is %s, want int64", c.In[extractY].Name, y.Elem)
	}
	if len(x.Shape) == 0 {
		return fmt.Errorf("input %q is a scalar", c.In[extractX].Name)
	}
	shape := slices.Clone(x.Shape)
	shape[len(shape)-1] = ir.Size(y.Shape)
	if len(shape) == 1 {
		shape = []ir.Dim{ir.C(1), shape[0]}
	}
	c.OutTensor(0, x.Elem, shape...)
	return nil
}

// expandArrayFeatureExtractor gathers along the last axis.
func expandArrayFeatureExtractor(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	y := b.OpA("Gather", op.Attrs("axis", -1), n.In[extractX], b.Op("Reshape", n.In[extractY], b.Ints(-1)))
	if len(op.Shape(y)) == 1 {
		y = b.Op("Unsqueeze", y, b.Ints(0))
	}
	return []*ir.Value{y}, nil
}
