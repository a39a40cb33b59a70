package shape

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [TopK].
const (
	topKX = iota
	topKK
)

// TopK is the k largest or smallest elements along an axis, and their indices.
//
// https://onnx.ai/onnx/operators/onnx__TopK.html
var TopK = &op.Op{
	Name:  "TopK",
	Since: []int{1, 10, 11, 24},
	Attrs: []op.Attr{
		{Name: "axis", Kind: op.Int, Default: -1},
		{Name: "k", Kind: op.Int, Required: true, Until: 10},
		{Name: "largest", Kind: op.Int, Default: 1, Since: 11},
		{Name: "sorted", Kind: op.Int, Default: 1, Since: 11},
	},
	Inputs:  []op.Port{topKX: {Name: "X", Types: elem.Numbers}, topKK: {Name: "K", Types: elem.Indices, Since: 10}},
	Outputs: []op.Port{{Name: "Values", Like: "X"}, {Name: "Indices", Types: elem.Int64s, Optional: true}},
	Infer:   inferTopK,
	Upgrade: upgradeTopK,
	Grad:    topKGrad,
	Lower:   lowerTopK,
	Widen:   true,
}

func upgradeTopK(b *ir.Builder, n *ir.Node) error {
	if n.Version >= 10 {
		return nil
	}
	if len(n.In) != 1 || !n.Has("k") {
		return fmt.Errorf("version 1 takes one input and the attribute k")
	}
	n.In = append(n.In, b.Ints(n.Int("k")))
	n.Attrs.Delete("k")
	return nil
}

func inferTopK(c *op.Infer) error {
	x, err := c.Tensor(topKX)
	if err != nil {
		return err
	}
	if len(x.Shape) == 0 {
		return fmt.Errorf("input %q is a scalar", c.In[topKX].Name)
	}
	axis, err := op.Axis(c.Int("axis"), len(x.Shape))
	if err != nil {
		return err
	}
	elems, err := c.Read(topKK)
	if err != nil {
		return err
	}
	if len(elems) != 1 {
		return fmt.Errorf("k has %d elements, want 1", len(elems))
	}
	k := elems[0]
	want, ok := k.Const()
	n, static := x.Shape[axis].Const()
	if ok && (want < 0 || static && want > n) {
		return fmt.Errorf("k is %d for an axis of size %s", want, x.Shape[axis])
	}
	if !k.Equal(x.Shape[axis]) && !(ok && static) { // it may exceed the size of the axis
		k = c.Fresh("k")
	}
	shape := slices.Clone(x.Shape)
	shape[axis] = k
	c.OutTensor(0, x.Elem, shape...)
	c.OutTensor(1, tensor.Int64, shape...)
	return nil
}

func lowerTopK(l *op.Lowering) error {
	x, values, indices := l.In[topKX], l.Out[0], l.Res(1)
	axis, err := op.Axis(l.Int("axis"), len(op.Shape(x)))
	if err != nil {
		return err
	}
	known := values
	if known == nil {
		known = indices
	}
	if known == nil {
		return nil
	}
	shape := op.Shape(known)
	if l.IsSym(shape[axis], 0) {
		k, _ := op.Content(l.In[topKK])
		l.Count(0, "TopKSize", k, op.Shape(x)[axis])
	}
	if values == nil {
		values = l.Scratch(x.Type.Elem, shape...)
	}
	if indices == nil {
		indices = l.Scratch(tensor.Int64, shape...)
	}
	l.Call("TopK", values, indices, x, op.Outer(shape, axis), op.Shape(x)[axis], shape[axis], op.Inner(shape, axis), l.Int("largest") != 0)
	return nil
}

// dx = dy at the places of the elements that were taken
func topKGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	if dy[0] == nil {
		return nil
	}
	zeros := op.Fill(b, n.In[topKX], 0)
	return []*ir.Value{b.OpA("ScatterElements", op.Attrs("axis", n.Int("axis")), zeros, op.Output(b, n, 1), dy[0])}
}
