package linear

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Det is the determinant of square matrices.
//
// https://onnx.ai/onnx/operators/onnx__Det.html
var Det = &op.Op{
	Name:    "Det",
	Since:   []int{11, 22},
	Inputs:  []op.Port{{Name: "X", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   inferDet,
	Agree:   agreeSquare,
	Grad:    detGrad,
	Lower:   lowerDet,
	FLOPs:   detWork,
	Widen:   true,
}

func inferDet(c *op.Infer) error {
	x, err := c.Tensor(op.X)
	if err != nil {
		return err
	}
	rank := len(x.Shape)
	if rank < 2 {
		return fmt.Errorf("input %q has rank %d, want at least 2", c.In[op.X].Name, rank)
	}
	n, nok := x.Shape[rank-2].Const()
	m, mok := x.Shape[rank-1].Const()
	if nok && mok && n != m {
		return fmt.Errorf("input %q has shape %v, want square matrices", c.In[op.X].Name, x.Shape)
	}
	c.OutTensor(0, x.Elem, x.Shape[:rank-2]...)
	return nil
}

func lowerDet(l *op.Lowering) error {
	x := op.Shape(l.In[op.X])
	n := x[len(x)-1]
	l.Call("Det", l.Out[0], l.In[op.X], l.Scratch(l.In[op.X].Type.Elem, n, n), n)
	return nil
}

// dx = dy·the cofactors of x
func detGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{op.OwnNode(b, "DetGrad", nil, dy[0], n.In[op.X])}
}

// agreeSquare requires that the matrices are square.
func agreeSquare(n *ir.Node) []op.Agreement {
	s := op.Shape(n.In[op.X])
	return []op.Agreement{{What: columnsOf(n.In[op.X]), Got: s[len(s)-1], Want: s[len(s)-2]}}
}

// detWork counts the elimination of each matrix: two thirds of the cube of its rows.
func detWork(n *ir.Node) ir.Dim {
	x := op.Shape(n.In[op.X])
	return op.Len(n.In[op.X]).Mul(x[len(x)-1])
}
