package op

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
)

// Work returns the number of arithmetic operations of a node, from [Op.FLOPs] if that is set. Otherwise it is
// one for each element of the output for an operator with [Op.Widen], and 0 for others.
func (o *Op) Work(n *ir.Node) ir.Dim {
	if o.FLOPs != nil {
		return o.FLOPs(n)
	}
	if y := n.Res(0); o.Widen && y != nil && y.Type.Kind == ir.Tensor {
		return Len(y)
	}
	return ir.C(0)
}

// Traffic returns the least number of bytes that a node reads and writes, from [Op.Bytes] if that is set.
// Otherwise, each of its tensors counts once, and an [Op.Alias] counts 0.
func (o *Op) Traffic(n *ir.Node) ir.Dim {
	switch {
	case o.Bytes != nil:
		return o.Bytes(n)
	case o.Alias:
		return ir.C(0)
	}
	sum := ir.C(0)
	for i, v := range slices.Concat(n.In, n.Out) {
		if !slices.Contains(n.In[:min(i, len(n.In))], v) || i >= len(n.In) {
			sum = sum.Add(BytesOf(v))
		}
	}
	return sum
}

// BytesOf returns the size of a tensor in bytes; the size of other values is unknown.
func BytesOf(v *ir.Value) ir.Dim {
	if v == nil || v.Type.Kind != ir.Tensor {
		return ir.C(0)
	}
	return Len(v).Mul(ir.C(v.Type.Elem.Size()))
}

// OutLen returns the number of elements of output 0, or 0 if it is omitted.
func OutLen(n *ir.Node) ir.Dim {
	if y := n.Res(0); y != nil {
		return Len(y)
	}
	return ir.C(0)
}

// PerInput returns an [Op.FLOPs] that counts k operations for each element of input 0.
func PerInput(k int) func(n *ir.Node) ir.Dim {
	return func(n *ir.Node) ir.Dim { return ir.C(k).Mul(Len(n.In[X])) }
}
