package shape

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [Split].
const (
	splitInput = iota
	splitSplit
)

// Split cuts a tensor along an axis: into parts of the given sizes, or into
// equal ones of which the last may be smaller.
//
// https://onnx.ai/onnx/operators/onnx__Split.html
var Split = &op.Op{
	Name:  "Split",
	Since: []int{1, 2, 11, 13, 18},
	Attrs: []op.Attr{
		{Name: "axis", Kind: op.Int, Until: 2},
		{Name: "axis", Kind: op.Int, Default: 0, Since: 2},
		{Name: "num_outputs", Kind: op.Int, Since: 18},
		{Name: "split", Kind: op.Ints, Until: 13},
	},
	Inputs: []op.Port{
		splitInput: {Name: "input", Types: elem.Any},
		splitSplit: {Name: "split", Types: elem.Indices, Optional: true, Until: 2},
		{Name: "split", Types: elem.Indices, Optional: true, Since: 13},
	},
	Outputs: []op.Port{{Name: "outputs", Like: "input", Variadic: true, Min: 1}},
	Infer:   inferSplit,
	Upgrade: upgradeSplit,
	Grad:    splitGrad,
	Lower:   lowerSplit,
	Last:    &op.LastForm{BuildAll: lastSplit},
}

func upgradeSplit(b *ir.Builder, n *ir.Node) error {
	if n.Version < 13 {
		op.AttrToInput(b, n, "split", 1)
	}
	return nil
}

func inferSplit(c *op.Infer) error {
	x, err := c.Tensor(splitInput)
	if err != nil {
		return err
	}
	axis, err := op.Axis(c.Int("axis"), len(x.Shape))
	if err != nil {
		return err
	}
	if len(x.Shape) == 0 {
		return fmt.Errorf("input %q is a scalar", c.In[splitInput].Name)
	}
	if c.Arg(splitSplit) != nil {
		if _, err := c.Read(splitSplit); err != nil {
			return err
		}
	}
	parts, err := splitParts(c.Node, x.Shape[axis])
	if err != nil {
		return err
	}
	if c.Arg(splitSplit) != nil {
		if _, err := c.Agree(splitInput, axis, sumOf(parts)); err != nil {
			return err
		}
	}
	if err := op.CheckNotNegative(parts); err != nil {
		return err
	}
	elems, known := c.Content(splitInput)
	at := 0
	for i, n := range c.OutSizes(parts) {
		shape := append([]ir.Dim{}, x.Shape...)
		shape[axis] = n
		c.OutTensor(i, x.Elem, shape...)
		if size, ok := n.Const(); ok && known && at+size <= len(elems) {
			c.Know(i, elems[at:at+size])
			at += size
		} else {
			known = false
		}
	}
	return nil
}

// splitParts returns the sizes of the parts of an axis of n elements.
func splitParts(node *ir.Node, n ir.Dim) ([]ir.Dim, error) {
	if node.Arg(splitSplit) != nil {
		parts, _ := op.Content(node.In[splitSplit])
		if len(parts) != len(node.Out) {
			return nil, fmt.Errorf("split has %d sizes for %d outputs", len(parts), len(node.Out))
		}
		if !op.MayEqual(n, sumOf(parts)) {
			return nil, fmt.Errorf("split %v does not cut an axis of size %s", parts, n)
		}
		return parts, nil
	}
	count := node.IntOr("num_outputs", len(node.Out))
	if count != len(node.Out) {
		return nil, fmt.Errorf("num_outputs is %d for %d outputs", count, len(node.Out))
	}
	parts := make([]ir.Dim, count)
	part := n.CeilDiv(ir.C(count))
	rest := n
	for i := range parts {
		parts[i] = op.AtLeast(op.AtMost(part, rest), ir.C(0))
		rest = rest.Sub(parts[i])
	}
	return parts, nil
}

func sumOf(parts []ir.Dim) ir.Dim {
	sum := ir.C(0)
	for _, p := range parts {
		sum = sum.Add(p)
	}
	return sum
}

func lowerSplit(l *op.Lowering) error {
	x := l.In[splitInput]
	axis, err := op.Axis(l.Int("axis"), len(op.Shape(x)))
	if err != nil {
		return err
	}
	parts, err := splitParts(l.Node, op.Shape(x)[axis])
	if err != nil {
		return err
	}
	k := 0
	for i, y := range l.Out {
		if y != nil && l.IsSym(op.Shape(y)[axis], k) {
			l.Count(k, "SplitSize", parts, i, op.Shape(x)[axis])
			k++
		}
	}
	outer, inner := op.Outer(op.Shape(x), axis), op.Inner(op.Shape(x), axis)
	cols, at := ir.Size(op.Shape(x)[axis:]), ir.C(0)
	for i, y := range l.Out {
		n := parts[i].Mul(inner)
		if y != nil {
			l.Call("CopyRows", y, x, outer, n, n, 0, cols, at)
		}
		at = at.Add(n)
	}
	return nil
}

// dx = the parts of dy, joined; zeros where nothing depends on a part
func splitGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	parts := make([]*ir.Value, len(n.Out))
	for i := range parts {
		if parts[i] = dy[i]; parts[i] == nil {
			parts[i] = op.Fill(b, op.Output(b, n, i), 0)
		}
	}
	return []*ir.Value{b.OpA("Concat", op.Attrs("axis", n.Int("axis")), parts...)}
}

// lastSplit converts a Split: the axis has another number.
func lastSplit(l *op.Last) []*ir.Value {
	rank := len(op.Shape(l.In[splitInput]))
	axis, err := op.Axis(l.Int("axis"), rank)
	x := l.Of(l.In[splitInput])
	if x == nil || err != nil {
		return nil
	}
	attrs := slices.Clone(l.Attrs)
	attrs.Set("axis", int64(op.LastAxis(axis, rank)))
	return l.Several("Split", attrs, append([]*ir.Value{x}, l.In[1:]...)...)
}
