package shape

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Unique returns the distinct elements of a tensor, or its distinct slices along an axis, with the position
// of their first occurrence, the inverse mapping, and their counts.
//
// https://onnx.ai/onnx/operators/onnx__Unique.html
var Unique = &op.Op{
	Name:  "Unique",
	Since: []int{11, 28},
	Attrs: []op.Attr{
		{Name: "axis", Kind: op.Int},
		{Name: "sorted", Kind: op.Int, Default: 1},
	},
	Inputs: []op.Port{{Name: "X", Types: elem.NotComplex, Lacks: elem.Of(tensor.Complex64, tensor.Complex128)}},
	Outputs: []op.Port{
		{Name: "Y", Like: "X"},
		{Name: "indices", Types: elem.Int64s, Optional: true},
		{Name: "inverse_indices", Types: elem.Int64s, Optional: true},
		{Name: "counts", Types: elem.Int64s, Optional: true},
	},
	Infer:   inferUnique,
	Grad:    uniqueGrad,
	Lower:   lowerUnique,
	Expand:  uniqueBools,
	Expands: func(n *ir.Node) bool { return n.In[op.X].Type.Elem == tensor.Bool },
	Widen:   true,
}

func inferUnique(c *op.Infer) error {
	x, err := c.Tensor(op.X)
	if err != nil {
		return err
	}
	if x.Elem.IsComplex() {
		return fmt.Errorf("input %q is %s, which has no order", c.In[op.X].Name, x.Elem)
	}
	shape, axis, err := uniqueAxis(c.Node)
	if err != nil {
		return err
	}
	count, n := c.Fresh("count"), shape[axis]
	shape[axis] = count
	c.OutTensor(0, x.Elem, shape...)
	c.OutTensor(1, tensor.Int64, count)
	c.OutTensor(2, tensor.Int64, n)
	c.OutTensor(3, tensor.Int64, count)
	return nil
}

// uniqueAxis returns the input's shape and the axis of its items: the shape is that
// of a vector if single elements are compared.
func uniqueAxis(n *ir.Node) ([]ir.Dim, int, error) {
	shape := op.Shape(n.In[op.X])
	if !n.Has("axis") {
		return []ir.Dim{ir.Size(shape)}, 0, nil
	}
	if len(shape) == 0 {
		return nil, 0, fmt.Errorf("axis is set for a scalar")
	}
	axis, err := op.Axis(n.Int("axis"), len(shape))
	return append([]ir.Dim{}, shape...), axis, err
}

func lowerUnique(l *op.Lowering) error {
	shape, axis, err := uniqueAxis(l.Node)
	if err != nil {
		return err
	}
	outer, n, inner := op.Outer(shape, axis), shape[axis], op.Inner(shape, axis)
	order := l.Scratch(tensor.Int64, n)
	l.Count(0, "UniqueCount", order, l.In[op.X], outer, n, inner)
	l.Call("Unique", l.Out[0], l.Res(1), l.Res(2), l.Res(3), l.In[op.X],
		order, l.Scratch(tensor.Int64, n.Mul(ir.C(2))), op.Struct{Type: "UniqueShape", Fields: []op.Field{
			{Name: "Outer", Value: outer}, {Name: "N", Value: n}, {Name: "Inner", Value: inner}, {Name: "Sorted", Value: l.Int("sorted") != 0},
		}})
	return nil
}

// uniqueBools compares bools as numbers.
func uniqueBools(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	x := &ir.Node{Op: "Unique", Name: b.Module.FreshName(b.Prefix + "Unique"), Attrs: n.Attrs, Syms: n.Syms, Class: n.Class, Pos: n.Pos}
	x.In = []*ir.Value{op.Cast(b, n.In[op.X], tensor.Uint8)}
	x.Out = make([]*ir.Value, len(n.Out))
	for i, v := range n.Out {
		if v != nil {
			x.Out[i] = &ir.Value{Name: b.Module.FreshName(v.Name + "_u8"), Def: x}
		}
	}
	outs := append([]*ir.Value{}, b.Add(x)...)
	if outs[0] != nil {
		outs[0] = op.Cast(b, outs[0], tensor.Bool)
	}
	return outs, nil
}

// dx = dy at the first occurrence of each element or slice
func uniqueGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x, at := n.In[op.X], op.Output(b, n, 1)
	if n.Has("axis") {
		return []*ir.Value{op.OwnNode(b, "GatherGrad", op.Attrs("axis", n.Int("axis")), dy[0], at, x)}
	}
	flat := b.Op("Reshape", x, b.Ints(-1))
	return []*ir.Value{op.ReshapeLike(b, op.OwnNode(b, "GatherGrad", nil, dy[0], at, flat), x)}
}
