package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// GatherElements picks one element along an axis for each index.
//
// https://onnx.ai/onnx/operators/onnx__GatherElements.html
var GatherElements = &Op{
	Name:    "GatherElements",
	Since:   []int{11, 13},
	Attrs:   []Attr{{Name: "axis", Kind: Int, Default: 0}},
	Inputs:  []Port{{Name: "data", Types: anyElem}, {Name: "indices", Types: indices}},
	Outputs: []Port{{Name: "output", Like: "data"}},
	Infer:   inferGatherElements,
	Picks:   true,
	Grad:    gatherElementsGrad,
	Lower:   lowerGatherElements,
	Bytes:   pickedBytes,
}

func inferGatherElements(c *Infer) error {
	x, err := c.Tensor(0)
	if err != nil {
		return err
	}
	index, err := c.index(1)
	if err != nil {
		return err
	}
	if _, err := elementAxis(c, len(x.Shape), len(index.Shape)); err != nil {
		return err
	}
	c.OutTensor(0, x.Elem, index.Shape...)
	return nil
}

// elementAxis is the axis along which indices pick elements of an input.
func elementAxis(c *Infer, rank, indexRank int) (int, error) {
	if rank == 0 || rank != indexRank {
		return 0, fmt.Errorf("indices have rank %d and the input has rank %d, want the same and at least 1", indexRank, rank)
	}
	return Axis(c.Int("axis"), rank)
}

func lowerGatherElements(l *Lowering) error {
	x, index := l.In[0], l.In[1]
	axis, err := Axis(l.Int("axis"), len(Shape(x)))
	if err != nil {
		return err
	}
	l.Call("GatherElements", l.Out[0], x, index, Shape(index), Shape(x), axis)
	return nil
}

// dx = the sum of dy at the places that it was taken from
func gatherElementsGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	zeros := Fill(b, n.In[0], 0)
	return []*ir.Value{b.OpA("ScatterElements", attr("axis", n.Int("axis"), "reduction", "add"), zeros, n.In[1], dy[0])}
}
