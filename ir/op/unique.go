package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Unique is the different elements of a tensor, or its different slices along
// an axis; where each stands first, which of them every element is, and how
// often it occurs.
//
// https://onnx.ai/onnx/operators/onnx__Unique.html
var Unique = &Op{
	Name:  "Unique",
	Since: []int{11, 28},
	Attrs: []Attr{
		{Name: "axis", Kind: Int},
		{Name: "sorted", Kind: Int, Default: 1},
	},
	Inputs: []Port{{Name: "X", Types: notComplex, Lacks: elems(tensor.Complex64, tensor.Complex128)}},
	Outputs: []Port{
		{Name: "Y", Like: "X"},
		{Name: "indices", Types: int64s, Optional: true},
		{Name: "inverse_indices", Types: int64s, Optional: true},
		{Name: "counts", Types: int64s, Optional: true},
	},
	Infer:   inferUnique,
	Grad:    uniqueGrad,
	Lower:   lowerUnique,
	Expand:  uniqueBools,
	Expands: func(n *ir.Node) bool { return n.In[0].Type.Elem == tensor.Bool },
	Widen:   true,
}

func inferUnique(c *Infer) error {
	x, err := c.Tensor(0)
	if err != nil {
		return err
	}
	if x.Elem.IsComplex() {
		return fmt.Errorf("input %q is %s, which has no order", c.In[0].Name, x.Elem)
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

// uniqueAxis is the input's shape and the axis of its items: the shape is that
// of a vector if single elements are compared.
func uniqueAxis(n *ir.Node) ([]ir.Dim, int, error) {
	shape := Shape(n.In[0])
	if !n.Has("axis") {
		return []ir.Dim{ir.Size(shape)}, 0, nil
	}
	if len(shape) == 0 {
		return nil, 0, fmt.Errorf("axis is set for a scalar")
	}
	axis, err := Axis(n.Int("axis"), len(shape))
	return append([]ir.Dim{}, shape...), axis, err
}

func lowerUnique(l *Lowering) error {
	shape, axis, err := uniqueAxis(l.Node)
	if err != nil {
		return err
	}
	outer, n, inner := Outer(shape, axis), shape[axis], Inner(shape, axis)
	order := l.Scratch(tensor.Int64, n)
	l.Count(0, "UniqueCount", order, l.In[0], outer, n, inner)
	l.Call("Unique", l.Out[0], l.Res(1), l.Res(2), l.Res(3), l.In[0],
		order, l.Scratch(tensor.Int64, n), l.Scratch(tensor.Int64, n), outer, n, inner, l.Int("sorted") != 0)
	return nil
}

// uniqueBools compares bools as numbers.
func uniqueBools(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	x := &ir.Node{Op: "Unique", Name: b.Module.FreshName(b.Prefix + "Unique"), Attrs: n.Attrs, Syms: n.Syms, Class: n.Class, Pos: n.Pos}
	x.In = []*ir.Value{Cast(b, n.In[0], tensor.Uint8)}
	x.Out = make([]*ir.Value, len(n.Out))
	for i, v := range n.Out {
		if v != nil {
			x.Out[i] = &ir.Value{Name: b.Module.FreshName(v.Name + "_u8"), Def: x}
		}
	}
	outs := append([]*ir.Value{}, b.Add(x)...)
	if outs[0] != nil {
		outs[0] = Cast(b, outs[0], tensor.Bool)
	}
	return outs, nil
}

// dx = dy where each element, or slice, stands first
func uniqueGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x, at := n.In[0], output(b, n, 1)
	if n.Has("axis") {
		return []*ir.Value{own(b, "GatherGrad", attr("axis", n.Int("axis")), dy[0], at, x)}
	}
	flat := b.Op("Reshape", x, b.Ints(-1))
	return []*ir.Value{reshapeLike(b, own(b, "GatherGrad", nil, dy[0], at, flat), x)}
}
