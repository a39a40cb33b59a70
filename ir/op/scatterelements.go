package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// ScatterElements puts one element along an axis for each index into a copy of
// its input.
//
// https://onnx.ai/onnx/operators/onnx__ScatterElements.html
var ScatterElements = &Op{
	Name:  "ScatterElements",
	Since: []int{11, 13, 16, 18},
	Attrs: []Attr{
		{Name: "axis", Kind: Int, Default: 0},
		{Name: "reduction", Kind: String, Default: "none", Values: scatterings, Since: 16},
	},
	Inputs:  []Port{{Name: "data", Types: anyElem}, {Name: "indices", Types: indices}, {Name: "updates", Like: "data"}},
	Outputs: []Port{{Name: "output", Like: "data"}},
	Infer:   inferScatterElements,
	Grad:    scatterGrad("GatherElements"),
	Lower:   lowerScatterElements,
	Expand:  func(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) { return Widened(b, n), nil },
	Expands: reducesSmall,
}

func inferScatterElements(c *Infer) error {
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
		if _, err := c.agree(2, i, index.Shape[i]); err != nil {
			return fmt.Errorf("updates are %s for indices %s", updates, index)
		}
	}
	return nil
}

func lowerScatterElements(l *Lowering) error {
	shape := Shape(l.In[0])
	axis, err := Axis(l.Int("axis"), len(shape))
	if err != nil {
		return err
	}
	lowerScatter(l, "ScatterElements", Shape(l.In[1]), shape, axis)
	return nil
}
