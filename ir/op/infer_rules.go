package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// InferSame is inference for an output of the type of input 0.
func InferSame(c *Infer) error { return c.Same() }

// InferLike is inference for an output of the type of input i.
func InferLike(i int) func(c *Infer) error {
	return func(c *Infer) error {
		x, err := c.FloatTensor(i)
		c.Out(0, x)
		return err
	}
}

// InferBool is inference for an output of bools in the shape of input 0.
func InferBool(c *Infer) error {
	x, err := c.Tensor(0)
	if err != nil {
		return err
	}
	c.OutTensor(0, tensor.Bool, x.Shape...)
	return nil
}

// InferBinary is inference for operands of one type that broadcast.
func InferBinary(c *Infer) error {
	t, err := broadcastInputs(c)
	c.Out(0, t)
	return err
}

// InferCompare is [InferBinary] with a result of bools.
func InferCompare(c *Infer) error {
	t, err := broadcastInputs(c)
	if err != nil {
		return err
	}
	c.OutTensor(0, tensor.Bool, t.Shape...)
	return nil
}

// broadcastInputs returns the type that all inputs broadcast to; they must have one
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

// InferGradient is inference for the gradient of an operator: its inputs are dy and
// those of the operator, whose inference is given, in the order at which they
// stand or as they are; its outputs are the gradients of the first of these. What
// the operator would refuse is refused.
func InferGradient(infer func(c *Infer) error, order ...int) func(c *Infer) error {
	return func(c *Infer) error {
		in := c.In[1:]
		if order != nil {
			in = make([]*ir.Value, len(order))
			for i, k := range order {
				in[i] = c.Arg(k)
			}
		}
		n := Alike(c.Node, in)
		n.Name = c.Name
		n.Out = []*ir.Value{{Name: c.Name, Def: n}}
		inner := &Infer{Node: n, Module: c.Module}
		if err := infer(inner); err != nil {
			return err
		}
		c.Assume(inner.open...)
		dy, y := c.Type(0), n.Out[0].Type
		if dy.Elem != y.Elem {
			return fmt.Errorf("input %q is %s, want a gradient of %s", c.In[0].Name, dy, y)
		}
		for i := range c.Node.Out {
			t, err := inner.FloatTensor(i)
			if err != nil {
				return err
			}
			c.Out(i, t)
		}
		return c.HasShape(0, y.Shape...)
	}
}
