package shape

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// ScatterElements puts one element along an axis for each index into a copy of
// its input.
//
// https://onnx.ai/onnx/operators/onnx__ScatterElements.html
var ScatterElements = &op.Op{
	Name:  "ScatterElements",
	Since: []int{11, 13, 16, 18},
	Attrs: []op.Attr{
		{Name: "axis", Kind: op.Int, Default: 0},
		{Name: "reduction", Kind: op.String, Default: "none", Values: scatterings, Since: 16},
	},
	Inputs: []op.Port{
		scatterData:    {Name: "data", Types: elem.Any},
		scatterIndices: {Name: "indices", Types: elem.Indices},
		scatterUpdates: {Name: "updates", Like: "data"},
	},
	Outputs: []op.Port{{Name: "output", Like: "data"}},
	Infer:   inferScatterElements,
	Grad:    scatterGrad("GatherElements"),
	Lower:   lowerScatterElements,
	Expand:  func(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) { return op.Widened(b, n), nil },
	Expands: reducesSmall,
}

func inferScatterElements(c *op.Infer) error {
	x, index, updates, err := checkScatter(c)
	if err != nil {
		return err
	}
	if _, err := elementAxis(c, len(x.Shape), len(index.Shape)); err != nil {
		return err
	}
	if len(updates.Shape) != len(index.Shape) {
		return fmt.Errorf("updates are %s for indices %s", updates, index)
	}
	for i := range index.Shape {
		if _, err := c.Agree(scatterUpdates, i, index.Shape[i]); err != nil {
			return fmt.Errorf("updates are %s for indices %s", updates, index)
		}
	}
	return nil
}

func lowerScatterElements(l *op.Lowering) error {
	shape := op.Shape(l.In[scatterData])
	axis, err := op.Axis(l.Int("axis"), len(shape))
	if err != nil {
		return err
	}
	lowerScatter(l, "ScatterElements", op.Shape(l.In[scatterIndices]), shape, axis)
	return nil
}
