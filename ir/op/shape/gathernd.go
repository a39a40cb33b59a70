package shape

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// GatherND returns slices at the positions in the rows of the indices.
//
// https://onnx.ai/onnx/operators/onnx__GatherND.html
var GatherND = &op.Op{
	Name:    "GatherND",
	Since:   []int{11, 12, 13},
	Attrs:   []op.Attr{{Name: "batch_dims", Kind: op.Int, Default: 0, Since: 12}},
	Inputs:  []op.Port{gatherData: {Name: "data", Types: elem.Any}, gatherIndices: {Name: "indices", Types: elem.Indices}},
	Outputs: []op.Port{{Name: "output", Like: "data"}},
	Infer:   inferGatherND,
	Picks:   true,
	Grad:    gatherNDGrad,
	Lower:   lowerGatherND,
	Bytes:   pickedBytes,
}

func inferGatherND(c *op.Infer) error {
	x, err := c.Tensor(gatherData)
	if err != nil {
		return err
	}
	index, err := c.IndexTensor(gatherIndices)
	if err != nil {
		return err
	}
	batch, q := c.Int("batch_dims"), len(index.Shape)
	if q == 0 || len(x.Shape) == 0 || batch < 0 || batch >= min(q, len(x.Shape)) {
		return fmt.Errorf("batch_dims is %d for ranks %d and %d", batch, len(x.Shape), q)
	}
	k, err := rowLength(index, len(x.Shape)-batch)
	if err != nil {
		return err
	}
	for i := range batch {
		if _, err := c.Agree(gatherIndices, i, x.Shape[i]); err != nil {
			return fmt.Errorf("batch axis %d: %w", i, err)
		}
	}
	c.OutTensor(0, x.Elem, slices.Concat(index.Shape[:q-1], x.Shape[batch+k:])...)
	return nil
}

// rowLength returns the number of indices in a position, which is the last size of the indices.
func rowLength(index ir.Type, most int) (int, error) {
	last := index.Shape[len(index.Shape)-1]
	k, ok := last.Const()
	if !ok {
		return 0, fmt.Errorf("indices are %s, want a constant last size", index)
	}
	if k < 0 || k > most {
		return 0, fmt.Errorf("rows of indices have %d elements, want at most %d", k, most)
	}
	return k, nil
}

func lowerGatherND(l *op.Lowering) error {
	return callGatherND(l, "GatherND", op.Shape(l.In[gatherData]))
}

// callGatherND calls a kernel of GatherND or of its gradient. The shape is that of the data.
func callGatherND(l *op.Lowering, kernel string, shape []ir.Dim) error {
	index := l.In[gatherIndices]
	batch, q := l.Int("batch_dims"), len(op.Shape(index))
	k, err := rowLength(index.Type, len(shape)-batch)
	if err != nil {
		return err
	}
	l.Call(kernel, l.Out[0], l.In[gatherData], index, ir.Size(shape[:batch]), ir.Size(op.Shape(index)[batch:q-1]), k, shape[batch:])
	return nil
}

// dx = the sum of dy at the places that it was taken from
func gatherNDGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{op.OwnNode(b, "GatherNDGrad", n.Attrs, dy[0], n.In[gatherIndices], n.In[gatherData])}
}
