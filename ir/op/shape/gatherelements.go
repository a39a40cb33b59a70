package shape

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// GatherElements picks one element along an axis for each index.
//
// https://onnx.ai/onnx/operators/onnx__GatherElements.html
var GatherElements = &op.Op{
	Name:    "GatherElements",
	Since:   []int{11, 13},
	Attrs:   []op.Attr{{Name: "axis", Kind: op.Int, Default: 0}},
	Inputs:  []op.Port{gatherData: {Name: "data", Types: elem.Any}, gatherIndices: {Name: "indices", Types: elem.Indices}},
	Outputs: []op.Port{{Name: "output", Like: "data"}},
	Infer:   inferGatherElements,
	Picks:   true,
	Grad:    gatherElementsGrad,
	Lower:   lowerGatherElements,
	Bytes:   pickedBytes,
}

func inferGatherElements(c *op.Infer) error {
	x, err := c.Tensor(gatherData)
	if err != nil {
		return err
	}
	index, err := c.IndexTensor(gatherIndices)
	if err != nil {
		return err
	}
	if _, err := elementAxis(c, len(x.Shape), len(index.Shape)); err != nil {
		return err
	}
	c.OutTensor(0, x.Elem, index.Shape...)
	return nil
}

// elementAxis returns the axis along which indices pick elements of an input.
func elementAxis(c *op.Infer, rank, indexRank int) (int, error) {
	if rank == 0 || rank != indexRank {
		return 0, fmt.Errorf("indices have rank %d and the input has rank %d, want the same and at least 1", indexRank, rank)
	}
	return op.Axis(c.Int("axis"), rank)
}

func lowerGatherElements(l *op.Lowering) error {
	x, index := l.In[gatherData], l.In[gatherIndices]
	axis, err := op.Axis(l.Int("axis"), len(op.Shape(x)))
	if err != nil {
		return err
	}
	l.Call("GatherElements", l.Out[0], x, index, op.Shape(index), op.Shape(x), axis)
	return nil
}

// dx = the sum of dy at the places that it was taken from
func gatherElementsGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	zeros := op.Fill(b, n.In[gatherData], 0)
	return []*ir.Value{b.OpA("ScatterElements", op.Attrs("axis", n.Int("axis"), "reduction", "add"), zeros, n.In[gatherIndices], dy[0])}
}
