package shape

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [Gather], [GatherElements] and [GatherND].
const (
	gatherData = iota
	gatherIndices
)

// Gather returns the elements at the given indices of an axis.
//
// https://onnx.ai/onnx/operators/onnx__Gather.html
var Gather = &op.Op{
	Name:    "Gather",
	Since:   []int{1, 11, 13},
	Attrs:   []op.Attr{{Name: "axis", Kind: op.Int, Default: 0}},
	Inputs:  []op.Port{gatherData: {Name: "data", Types: elem.Any}, gatherIndices: {Name: "indices", Types: elem.Indices}},
	Outputs: []op.Port{{Name: "output", Like: "data"}},
	Infer:   inferGather,
	Picks:   true,
	Grad:    gatherGrad,
	Lower:   lowerGather,
	Bytes:   pickedBytes,
}

func inferGather(c *op.Infer) error {
	x, err := c.Tensor(gatherData)
	if err != nil {
		return err
	}
	index, err := c.IndexTensor(gatherIndices)
	if err != nil {
		return err
	}
	axis, err := op.Axis(c.Int("axis"), len(x.Shape))
	if err != nil {
		return err
	}
	if len(x.Shape) == 0 {
		return fmt.Errorf("input %q is a scalar", c.In[gatherData].Name)
	}
	c.OutTensor(0, x.Elem, slices.Concat(x.Shape[:axis], index.Shape, x.Shape[axis+1:])...)
	elems, ok := c.Content(gatherData)
	at, err := c.Consts(gatherIndices)
	if !ok || err != nil || len(x.Shape) != 1 {
		return nil
	}
	out := make([]ir.Dim, len(at))
	for i, k := range at {
		if k < 0 {
			k += len(elems)
		}
		if k < 0 || k >= len(elems) {
			return fmt.Errorf("index %d is out of range for %d elements", at[i], len(elems))
		}
		out[i] = elems[k]
	}
	c.Know(0, out)
	return nil
}

func lowerGather(l *op.Lowering) error { return callGather(l, "Gather", op.Shape(l.In[gatherData])) }

// callGather calls a kernel of Gather or of its gradient. The shape is that of the data.
func callGather(l *op.Lowering, kernel string, shape []ir.Dim) error {
	axis, err := op.Axis(l.Int("axis"), len(shape))
	if err != nil {
		return err
	}
	l.Call(kernel, l.Out[0], l.In[gatherData], l.In[gatherIndices], op.Outer(shape, axis), shape[axis], op.Inner(shape, axis))
	return nil
}

// dx = the sum of dy at the places that it was taken from
func gatherGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{op.OwnNode(b, "GatherGrad", n.Attrs, dy[0], n.In[gatherIndices], n.In[gatherData])}
}

// pickedBytes counts, for an operator that reads as much of its first input as it writes, that part and the
// other operands.
func pickedBytes(n *ir.Node) ir.Dim {
	sum := ir.C(2).Mul(op.BytesOf(n.Out[0]))
	for _, v := range n.In[1:] {
		sum = sum.Add(op.BytesOf(v))
	}
	return sum
}
