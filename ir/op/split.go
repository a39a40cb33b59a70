package op

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
)

// Split cuts a tensor along an axis: into parts of the given sizes, or into
// equal ones of which the last may be smaller.
//
// https://onnx.ai/onnx/operators/onnx__Split.html
var Split = &Op{
	Name:  "Split",
	Since: []int{1, 2, 11, 13, 18},
	Attrs: []Attr{
		{Name: "axis", Kind: Int, Until: 2},
		{Name: "axis", Kind: Int, Default: 0, Since: 2},
		{Name: "num_outputs", Kind: Int, Since: 18},
		{Name: "split", Kind: Ints, Until: 13},
	},
	Inputs: []Port{
		{Name: "input", Types: anyElem},
		{Name: "split", Types: indices, Optional: true, Until: 2},
		{Name: "split", Types: indices, Optional: true, Since: 13},
	},
	Outputs: []Port{{Name: "outputs", Like: "input", Variadic: true, Min: 1}},
	Infer:   inferSplit,
	Upgrade: upgradeSplit,
	Grad:    splitGrad,
	Lower:   lowerSplit,
	Last:    &LastForm{BuildAll: lastSplit},
}

func upgradeSplit(b *ir.Builder, n *ir.Node) error {
	if n.Version < 13 {
		attrToInput(b, n, "split", 1)
	}
	return nil
}

func inferSplit(c *Infer) error {
	x, err := c.Tensor(0)
	if err != nil {
		return err
	}
	axis, err := Axis(c.Int("axis"), len(x.Shape))
	if err != nil {
		return err
	}
	if len(x.Shape) == 0 {
		return fmt.Errorf("input %q is a scalar", c.In[0].Name)
	}
	if c.Arg(1) != nil {
		if _, err := c.Read(1); err != nil {
			return err
		}
	}
	parts, err := splitParts(c.Node, x.Shape[axis])
	if err != nil {
		return err
	}
	if c.Arg(1) != nil {
		if _, err := c.agree(0, axis, sumOf(parts)); err != nil {
			return err
		}
	}
	if err := notNegative(parts); err != nil {
		return err
	}
	elems, known := c.Content(0)
	at := 0
	for i, n := range c.sizes(parts) {
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

// splitParts is the sizes of the parts of an axis of n elements.
func splitParts(node *ir.Node, n ir.Dim) ([]ir.Dim, error) {
	if node.Arg(1) != nil {
		parts, _ := Content(node.In[1])
		if len(parts) != len(node.Out) {
			return nil, fmt.Errorf("split has %d sizes for %d outputs", len(parts), len(node.Out))
		}
		if !mayBe(n, sumOf(parts)) {
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
		parts[i] = atLeast(atMost(part, rest), ir.C(0))
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

func lowerSplit(l *Lowering) error {
	x := l.In[0]
	axis, err := Axis(l.Int("axis"), len(Shape(x)))
	if err != nil {
		return err
	}
	parts, err := splitParts(l.Node, Shape(x)[axis])
	if err != nil {
		return err
	}
	k := 0
	for i, y := range l.Out {
		if y != nil && l.isSym(Shape(y)[axis], k) {
			l.Count(k, "SplitSize", parts, i, Shape(x)[axis])
			k++
		}
	}
	outer, inner := Outer(Shape(x), axis), Inner(Shape(x), axis)
	cols, at := ir.Size(Shape(x)[axis:]), ir.C(0)
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
			parts[i] = Fill(b, output(b, n, i), 0)
		}
	}
	return []*ir.Value{b.OpA("Concat", attr("axis", n.Int("axis")), parts...)}
}

// lastSplit cuts another axis.
func lastSplit(l *Last) []*ir.Value {
	rank := len(Shape(l.In[0]))
	axis, err := Axis(l.Int("axis"), rank)
	x := l.Of(l.In[0])
	if x == nil || err != nil {
		return nil
	}
	attrs := slices.Clone(l.Attrs)
	attrs.Set("axis", int64(lastAxis(axis, rank)))
	return l.several("Split", attrs, append([]*ir.Value{x}, l.In[1:]...)...)
}
