package shape

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [Expand].
const (
	expandInput = iota
	expandShape
)

// Expand repeats axes of one element so that the input broadcasts to a shape.
//
// https://onnx.ai/onnx/operators/onnx__Expand.html
var Expand = &op.Op{
	Name:    "Expand",
	Since:   []int{8, 13},
	Inputs:  []op.Port{expandInput: {Name: "input", Types: elem.Any}, expandShape: {Name: "shape", Types: elem.Indices}},
	Outputs: []op.Port{{Name: "output", Like: "input"}},
	Infer:   inferExpand,
	Picks:   true,
	Repeats: true,
	Grad:    expandGrad,
	Lower:   lowerExpand,
}

func inferExpand(c *op.Infer) error {
	x, err := c.Tensor(expandInput)
	if err != nil {
		return err
	}
	want, err := c.Read(expandShape)
	if err != nil {
		return err
	}
	if err := op.CheckNotNegative(want); err != nil {
		return err
	}
	shape, err := op.Broadcast(x.Shape, want)
	if err != nil {
		return err
	}
	for i := range shape {
		if k := i - len(shape) + len(want); k >= 0 && c.Module.FromData(want[k]) {
			shape[i] = c.Fresh("dim")
		}
	}
	c.OutTensor(0, x.Elem, shape...)
	if elems, ok := c.Content(expandInput); ok && len(shape) == 1 {
		if n, ok := shape[0].Const(); ok && n <= op.MaxElems && len(elems) == 1 {
			c.Know(0, repeatDim(elems[0], n))
		}
	}
	return nil
}

func repeatDim(d ir.Dim, n int) []ir.Dim {
	out := make([]ir.Dim, n)
	for i := range out {
		out[i] = d
	}
	return out
}

func lowerExpand(l *op.Lowering) error {
	x, y := l.In[expandInput], l.Out[0]
	want, _ := op.Content(l.In[expandShape])
	k := 0
	for i, d := range op.Shape(y) {
		if !l.IsSym(d, k) {
			continue
		}
		n := ir.C(1)
		if axis := i - len(op.Shape(y)) + len(op.Shape(x)); axis >= 0 {
			n = op.Shape(x)[axis]
		}
		l.Count(k, "ExpandSize", want[i-len(op.Shape(y))+len(want):][:1], n)
		k++
	}
	if ir.SameShape(op.Shape(x), op.Shape(y)) {
		l.Call("Copy", y, x)
		return nil
	}
	l.Call("Expand", y, x, op.Shape(y), op.Shape(x))
	return nil
}

// dx = the sum of dy over the repeated axes
func expandGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{op.Unbroadcast(b, dy[0], n.In[expandInput])}
}
