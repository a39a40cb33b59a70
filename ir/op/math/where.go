package math

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [Where].
const (
	whereCondition = iota
	whereX
	whereY
)

// Where is x where the condition holds and y elsewhere, with numpy's
// broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__Where.html
var Where = &op.Op{
	Name:  "Where",
	Since: []int{9, 16},
	Inputs: []op.Port{
		whereCondition: {Name: "condition", Types: elem.Bools},
		whereX:         {Name: "X", Types: elem.Any},
		whereY:         {Name: "Y", Like: "X"},
	},
	Outputs: []op.Port{{Name: "output", Like: "X"}},
	Infer:   inferWhere,
	Grad:    whereGrad,
	Lower:   lowerWhere,

	InPlace:    true,
	Broadcasts: true,
}

func inferWhere(c *op.Infer) error {
	cond, err := c.Tensor(whereCondition)
	if err != nil {
		return err
	}
	x, err := c.Tensor(whereX)
	if err != nil {
		return err
	}
	y, err := c.Tensor(whereY)
	if err != nil {
		return err
	}
	if x.Elem != y.Elem {
		return fmt.Errorf("input %q is %s, want %s like input %q", c.In[whereY].Name, y.Elem, x.Elem, c.In[whereX].Name)
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
	cond, ok := op.KnownBools(c.In[whereCondition])
	x, xok := c.Content(whereX)
	y, yok := c.Content(whereY)
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
	cond, x, y := l.In[whereCondition], l.In[whereX], l.In[whereY]
	l.Call("Where", l.Out[0], cond, x, y, op.Shape(l.Out[0]), op.Shape(cond), op.Shape(x), op.Shape(y))
	l.Part("Select", l.Out[0], cond, x, y)
	return nil
}

// dx = dy where the condition holds, dy of the other elsewhere
func whereGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	zero := op.ScalarLike(b, n.In[whereX], 0)
	dx := b.Op("Where", n.In[whereCondition], dy[0], zero)
	dz := b.Op("Where", n.In[whereCondition], zero, dy[0])
	return []*ir.Value{nil, op.Unbroadcast(b, dx, n.In[whereX]), op.Unbroadcast(b, dz, n.In[whereY])}
}
