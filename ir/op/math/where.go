package math

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Where is x where the condition holds and y elsewhere, with numpy's
// broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__Where.html
var Where = &op.Op{
	Name:    "Where",
	Since:   []int{9, 16},
	Inputs:  []op.Port{{Name: "condition", Types: elem.Bools}, {Name: "X", Types: elem.Any}, {Name: "Y", Like: "X"}},
	Outputs: []op.Port{{Name: "output", Like: "X"}},
	Infer:   inferWhere,
	Grad:    whereGrad,
	Lower:   lowerWhere,

	InPlace:    true,
	Broadcasts: true,
}

func inferWhere(c *op.Infer) error {
	cond, err := c.Tensor(0)
	if err != nil {
		return err
	}
	x, err := c.Tensor(1)
	if err != nil {
		return err
	}
	y, err := c.Tensor(2)
	if err != nil {
		return err
	}
	if x.Elem != y.Elem {
		return fmt.Errorf("input %q is %s, want %s like input %q", c.In[2].Name, y.Elem, x.Elem, c.In[1].Name)
	}
	shape, err := op.Broadcast(cond.Shape, x.Shape, y.Shape)
	if err != nil {
		return err
	}
	c.OutTensor(0, x.Elem, shape...)
	knowWhere(c)
	return nil
}

// knowWhere selects from the known content of the operands.
func knowWhere(c *op.Infer) {
	cond, ok := op.KnownBools(c.In[0])
	x, xok := c.Content(1)
	y, yok := c.Content(2)
	n := max(len(cond), len(x), len(y))
	if !ok || !xok || !yok {
		return
	}
	out := make([]ir.Dim, n)
	for i := range out {
		for _, k := range []int{len(cond), len(x), len(y)} {
			if k != n && k != 1 {
				return
			}
		}
		out[i] = y[i%len(y)]
		if cond[i%len(cond)] {
			out[i] = x[i%len(x)]
		}
	}
	c.Know(0, out)
}

func lowerWhere(l *op.Lowering) error {
	cond, x, y := l.In[0], l.In[1], l.In[2]
	l.Call("Where", l.Out[0], cond, x, y, op.Shape(l.Out[0]), op.Shape(cond), op.Shape(x), op.Shape(y))
	l.Part("Select", l.Out[0], cond, x, y)
	return nil
}

// dx = dy where the condition holds, dy of the other elsewhere
func whereGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	zero := op.ScalarLike(b, n.In[1], 0)
	dx := b.Op("Where", n.In[0], dy[0], zero)
	dz := b.Op("Where", n.In[0], zero, dy[0])
	return []*ir.Value{nil, op.Unbroadcast(b, dx, n.In[1]), op.Unbroadcast(b, dz, n.In[2])}
}
