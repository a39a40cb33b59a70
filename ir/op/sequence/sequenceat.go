package sequence

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [SequenceAt] and [SequenceErase].
const (
	atInputSequence = iota
	atPosition
)

// SequenceAt returns the tensor at a position of a list.
//
// https://onnx.ai/onnx/operators/onnx__SequenceAt.html
var SequenceAt = &op.Op{
	Name:  "SequenceAt",
	Since: []int{11},
	Inputs: []op.Port{
		atInputSequence: {Name: "input_sequence", Types: op.ASequence},
		atPosition:      {Name: "position", Types: elem.Indices},
	},
	Outputs: []op.Port{{Name: "tensor", Types: elem.Any}},
	Infer:   inferSequenceAt,
	Lower:   lowerSequenceAt,
	Expand:  expandSequenceAt,
	Expands: showsItem,
	Stops:   op.StopLists,
}

// itemAt returns the tensor that n extracts, if it is known.
func itemAt(n *ir.Node) *ir.Value {
	items, ok := listed(n.In[atInputSequence])
	if !ok {
		return nil
	}
	p, ok := listedAt(n.In[atPosition], len(items), len(items))
	if !ok {
		return nil
	}
	return items[p]
}

func inferSequenceAt(c *op.Infer) error {
	if err := checkPosition(c, 1); err != nil {
		return err
	}
	if v := itemAt(c.Node); v != nil {
		c.Out(0, v.Type)
		if elems, ok := op.Content(v); ok {
			c.Know(0, elems)
		}
		return nil
	}
	of, err := items(c, 0)
	if err != nil {
		return err
	}
	if p, ok := pieceAt(c.Node); ok {
		c.OutTensor(0, of.Elem, p.shape()...)
		return nil
	}
	c.Out(0, freshItem(c, of))
	return nil
}

// showsItem reports whether the tensor, or the part of one, that n extracts is known.
func showsItem(n *ir.Node) bool {
	_, ok := pieceAt(n)
	return len(n.Syms) == 0 && (ok || itemAt(n) != nil)
}

func expandSequenceAt(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	if p, ok := pieceAt(n); ok {
		return []*ir.Value{p.cut(b)}, nil
	}
	return []*ir.Value{itemAt(n)}, nil
}

func lowerSequenceAt(l *op.Lowering) error {
	y, seq, pos := l.Out[0], l.In[atInputSequence], l.In[atPosition]
	countAxes(l, y, "SequenceDim", func(axis int) []any { return []any{seq, pos, len(op.Shape(y)), axis} })
	l.Call("SequenceGet", y, seq, pos, op.Shape(y))
	return nil
}
