package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// unary lowers to one kernel call from input 0 to output 0.
func unary(kernel string) func(l *Lowering) error {
	return func(l *Lowering) error {
		l.Each(kernel, l.Out[0], l.In[0])
		return nil
	}
}

// inferBinary is inference for operands of one type that broadcast.
func inferBinary(c *Infer) error {
	t, err := broadcastInputs(c)
	c.Out(0, t)
	return err
}

// inferCompare is [inferBinary] with a result of bools.
func inferCompare(c *Infer) error {
	t, err := broadcastInputs(c)
	if err != nil {
		return err
	}
	c.OutTensor(0, tensor.Bool, t.Shape...)
	return nil
}

// broadcastInputs is the type that all inputs broadcast to; they must have one
// element type.
func broadcastInputs(c *Infer) (ir.Type, error) {
	var shapes [][]ir.Dim
	first, err := c.Tensor(0)
	if err != nil {
		return first, err
	}
	for i := range c.In {
		t, err := c.Tensor(i)
		if err != nil {
			return first, err
		}
		if t.Elem != first.Elem {
			return first, fmt.Errorf("input %q is %s, want %s like input %q", c.In[i].Name, t.Elem, first.Elem, c.In[0].Name)
		}
		shapes = append(shapes, t.Shape)
	}
	shape, err := Broadcast(shapes...)
	return ir.TensorOf(first.Elem, shape...), err
}

// binary lowers to one kernel call, or to the kernel under a loop nest where
// the operands broadcast.
func binary(kernel string) func(l *Lowering) error {
	return func(l *Lowering) error {
		lowerBinary(l, kernel, l.Out[0], l.In[0], l.In[1])
		return nil
	}
}

func lowerBinary(l *Lowering, kernel string, y, a, b *ir.Value) {
	if flat(a, y) && flat(b, y) {
		l.Each(kernel, y, a, b)
		return
	}
	l.Call("Broadcast", y, a, b, Kernel(kernel), Shape(y), Shape(a), Shape(b))
	l.parts(kernel, y, a, b)
}

// flat reports whether an operand runs along with y element by element, or is
// a single element.
func flat(v, y *ir.Value) bool { return Len(v).Is(1) || ir.SameShape(Shape(v), Shape(y)) }

// inferSame is inference for an output of the type of input 0.
func inferSame(c *Infer) error { return c.Same() }

// inferBool is inference for an output of bools in the shape of input 0.
func inferBool(c *Infer) error {
	x, err := c.Tensor(0)
	if err != nil {
		return err
	}
	c.OutTensor(0, tensor.Bool, x.Shape...)
	return nil
}
