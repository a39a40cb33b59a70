package sequence

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// ConcatFromSequence concatenates the items of a list along an axis, or along a new one. If the items are
// known, it concatenates them like other tensors.
//
// https://onnx.ai/onnx/operators/onnx__ConcatFromSequence.html
var ConcatFromSequence = &op.Op{
	Name:  "ConcatFromSequence",
	Since: []int{11},
	Attrs: []op.Attr{
		{Name: "axis", Kind: op.Int, Required: true},
		{Name: "new_axis", Kind: op.Int, Default: 0},
	},
	Inputs:  []op.Port{{Name: "input_sequence", Types: op.ASequence}},
	Outputs: []op.Port{{Name: "concat_result", Types: elem.Any}},
	Infer:   inferConcatFromSequence,
	Lower:   lowerConcatFromSequence,
	Expand:  expandConcatFromSequence,
	Expands: func(n *ir.Node) bool { return len(n.Syms) == 0 && concatenated(n) != nil },
	Stops:   op.StopLists,
}

// concatenated returns the tensors that n concatenates, or nil if they are known only at run time.
func concatenated(n *ir.Node) []*ir.Value {
	items, ok := listed(n.In[op.X])
	if !ok || len(items) == 0 {
		return nil
	}
	return items
}

func inferConcatFromSequence(c *op.Infer) error {
	of, err := items(c, 0)
	if err != nil {
		return err
	}
	rank := len(of.Shape)
	stack := c.Int("new_axis") != 0
	if stack {
		rank++
	}
	if !c.Has("axis") {
		return fmt.Errorf("has no axis")
	}
	axis, err := op.Axis(c.Int("axis"), rank)
	if err != nil {
		return err
	}
	if rank == 0 {
		return fmt.Errorf("cannot join scalars without a new axis")
	}
	if items := concatenated(c.Node); items != nil {
		for _, v := range items {
			if len(v.Type.Shape) != len(of.Shape) {
				return fmt.Errorf("items %q and %q have ranks %d and %d", items[0].Name, v.Name, len(items[0].Type.Shape), len(v.Type.Shape))
			}
		}
		c.OutTensor(0, of.Elem, joined(items, axis, stack)...)
		return nil
	}
	shape := slices.Clone(of.Shape)
	if stack {
		shape = slices.Insert(shape, axis, op.Varies)
	}
	shape[axis] = op.Varies
	c.Out(0, freshItem(c, ir.TensorOf(of.Elem, shape...)))
	return nil
}

// joined returns the shape of items concatenated along an axis. The items have one rank.
func joined(items []*ir.Value, axis int, stack bool) []ir.Dim {
	shape := slices.Clone(items[0].Type.Shape)
	if stack {
		return slices.Insert(shape, axis, ir.C(len(items)))
	}
	for _, v := range items[1:] {
		for k, d := range v.Type.Shape {
			if k == axis {
				shape[k] = shape[k].Add(d)
			} else if _, ok := d.Const(); ok {
				shape[k] = d
			}
		}
	}
	return shape
}

func lowerConcatFromSequence(l *op.Lowering) error {
	y, stack := l.Out[0], l.Int("new_axis") != 0
	shape := op.Shape(y)
	axis, err := op.Axis(l.Int("axis"), len(shape))
	if err != nil {
		return err
	}
	k := 0
	for i, d := range shape {
		if s, ok := d.Symbol(); !ok || k == len(l.Syms) || s != l.Syms[k] {
			continue
		}
		switch {
		case !stack:
			l.Count(k, "ConcatSequenceDim", l.In[op.X], len(shape), i, i == axis)
		case i == axis:
			l.Count(k, "SequenceLen", l.In[op.X])
		case i > axis:
			l.Count(k, "ConcatSequenceDim", l.In[op.X], len(shape)-1, i-1, false)
		default:
			l.Count(k, "ConcatSequenceDim", l.In[op.X], len(shape)-1, i, false)
		}
		k++
	}
	l.Call("ConcatSequence", y, l.In[op.X], shape, axis, stack)
	return nil
}

func expandConcatFromSequence(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	items := slices.Clone(concatenated(n))
	axis := n.Int("axis")
	if n.Int("new_axis") != 0 {
		for i, v := range items {
			items[i] = b.Op("Unsqueeze", v, b.Ints(axis))
		}
	}
	return []*ir.Value{b.OpA("Concat", ir.Attrs{{Name: "axis", Value: int64(axis)}}, items...)}, nil
}
