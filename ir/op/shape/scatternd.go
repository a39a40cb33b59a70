package shape

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// ScatterND puts slices at the places that the rows of the indices name into a
// copy of its input.
//
// https://onnx.ai/onnx/operators/onnx__ScatterND.html
var ScatterND = &op.Op{
	Name:  "ScatterND",
	Since: []int{11, 13, 16, 18},
	Attrs: []op.Attr{{Name: "reduction", Kind: op.String, Default: "none", Values: scatterings, Since: 16}},
	Inputs: []op.Port{
		scatterData:    {Name: "data", Types: elem.Any},
		scatterIndices: {Name: "indices", Types: elem.Indices},
		scatterUpdates: {Name: "updates", Like: "data"},
	},
	Outputs: []op.Port{{Name: "output", Like: "data"}},
	Infer:   inferScatterND,
	Grad:    scatterGrad("GatherND"),
	Lower:   lowerScatterND,
	Expand:  func(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) { return op.Widened(b, n), nil },
	Expands: reducesSmall,
}

func inferScatterND(c *op.Infer) error {
	x, index, updates, err := checkScatter(c)
	if err != nil {
		return err
	}
	q := len(index.Shape)
	if q == 0 || len(x.Shape) == 0 {
		return fmt.Errorf("got %s and indices %s, want rank 1 at least", x, index)
	}
	k, err := rowLength(index, len(x.Shape))
	if err != nil {
		return err
	}
	want := append(append([]ir.Dim{}, index.Shape[:q-1]...), x.Shape[k:]...)
	if len(updates.Shape) != len(want) {
		return fmt.Errorf("updates are %s, want shape %v", updates, want)
	}
	for i := range want {
		if _, err := c.Agree(scatterUpdates, i, want[i]); err != nil {
			return fmt.Errorf("updates are %s, want shape %v", updates, want)
		}
	}
	return nil
}

func lowerScatterND(l *op.Lowering) error {
	shape, index := op.Shape(l.In[scatterData]), l.In[scatterIndices]
	k, err := rowLength(index.Type, len(shape))
	if err != nil {
		return err
	}
	lowerScatter(l, "ScatterND", op.Outer(op.Shape(index), len(op.Shape(index))-1), k, shape)
	return nil
}
