package shape

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Transpose reorders axes; without perm it reverses them.
//
// https://onnx.ai/onnx/operators/onnx__Transpose.html
var Transpose = &op.Op{
	Name:    "Transpose",
	Since:   []int{1, 13, 21, 23, 24, 25},
	Attrs:   []op.Attr{{Name: "perm", Kind: op.Ints}},
	Inputs:  []op.Port{{Name: "data", Types: elem.Any}},
	Outputs: []op.Port{{Name: "transposed", Like: "data"}},
	Infer:   inferTranspose,
	Picks:   true,
	Grad:    transposeGrad,
	Lower:   lowerTranspose,
}

func inferTranspose(c *op.Infer) error {
	x, err := c.Tensor(op.X)
	if err != nil {
		return err
	}
	perm, err := permOf(c.Node, len(x.Shape))
	if err != nil {
		return err
	}
	shape := make([]ir.Dim, len(perm))
	for i, axis := range perm {
		shape[i] = x.Shape[axis]
	}
	c.OutTensor(0, x.Elem, shape...)
	if elems, ok := c.Content(op.X); ok {
		c.Know(0, elems)
	}
	return nil
}

func permOf(n *ir.Node, rank int) ([]int, error) {
	perm := n.Ints("perm")
	if !n.Has("perm") {
		perm = op.AllAxes(rank)
		for i := range perm {
			perm[i] = rank - 1 - i
		}
		return perm, nil
	}
	if len(perm) != rank {
		return nil, fmt.Errorf("perm %v has %d axes, want %d", perm, len(perm), rank)
	}
	return op.Axes(perm, rank)
}

func lowerTranspose(l *op.Lowering) error {
	shape := op.Shape(l.In[op.X])
	perm, err := permOf(l.Node, len(shape))
	if err != nil {
		return err
	}
	if keepsOrder(shape, perm) {
		l.Call("Copy", l.Out[0], l.In[op.X])
		return nil
	}
	l.Call("Transpose", l.Out[0], l.In[op.X], shape, perm)
	return nil
}

// keepsOrder reports whether a permutation moves only axes of one element.
func keepsOrder(shape []ir.Dim, perm []int) bool {
	last := -1
	for _, axis := range perm {
		if shape[axis].Is(1) {
			continue
		}
		if axis < last {
			return false
		}
		last = axis
	}
	return true
}

// dx = dy with the axes back in place
func transposeGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	perm, _ := permOf(n, len(op.Shape(n.In[op.X]))) // inference has made sure
	back := make([]int, len(perm))
	for i, axis := range perm {
		back[axis] = i
	}
	return []*ir.Value{b.OpA("Transpose", op.Attrs("perm", back), dy[0])}
}
