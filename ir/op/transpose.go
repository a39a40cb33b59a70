package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// Transpose reorders axes; without perm it reverses them.
//
// https://onnx.ai/onnx/operators/onnx__Transpose.html
var Transpose = &Op{
	Name:    "Transpose",
	Since:   []int{1, 13, 21, 23, 24, 25},
	Attrs:   []Attr{{Name: "perm", Kind: Ints}},
	Inputs:  []Port{{Name: "data", Types: anyElem}},
	Outputs: []Port{{Name: "transposed", Like: "data"}},
	Infer:   inferTranspose,
	Picks:   true,
	Grad:    transposeGrad,
	Lower:   lowerTranspose,
}

func inferTranspose(c *Infer) error {
	x, err := c.Tensor(0)
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
	if elems, ok := c.Content(0); ok {
		c.Know(0, elems)
	}
	return nil
}

func permOf(n *ir.Node, rank int) ([]int, error) {
	perm := n.Ints("perm")
	if !n.Has("perm") {
		perm = allAxes(rank)
		for i := range perm {
			perm[i] = rank - 1 - i
		}
		return perm, nil
	}
	if len(perm) != rank {
		return nil, fmt.Errorf("perm %v has %d axes, want %d", perm, len(perm), rank)
	}
	return axesOf(perm, rank)
}

func lowerTranspose(l *Lowering) error {
	shape := Shape(l.In[0])
	perm, err := permOf(l.Node, len(shape))
	if err != nil {
		return err
	}
	if keepsOrder(shape, perm) {
		l.Call("Copy", l.Out[0], l.In[0])
		return nil
	}
	l.Call("Transpose", l.Out[0], l.In[0], shape, perm)
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
	perm, _ := permOf(n, len(Shape(n.In[0]))) // inference has made sure
	back := make([]int, len(perm))
	for i, axis := range perm {
		back[axis] = i
	}
	return []*ir.Value{b.OpA("Transpose", attr("perm", back), dy[0])}
}
