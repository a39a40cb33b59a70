package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// InferSame infers an output with the type of input 0.
func InferSame(c *Infer) error { return c.Same() }

// InferLike returns an [Op.Infer] for an output with the type of input i.
func InferLike(i int) func(c *Infer) error {
	return func(c *Infer) error {
		x, err := c.FloatTensor(i)
		c.Out(0, x)
		return err
	}
}

// InferBool infers an output of bools with the shape of input 0.
func InferBool(c *Infer) error {
	x, err := c.Tensor(X)
	if err != nil {
		return err
	}
	c.OutTensor(0, tensor.Bool, x.Shape...)
	return nil
}

// InferBinary infers the result of operands of one element type that broadcast.
func InferBinary(c *Infer) error {
	t, err := broadcastInputs(c)
	c.Out(0, t)
	return err
}

// InferCompare is like [InferBinary], with a result of bools.
func InferCompare(c *Infer) error {
	t, err := broadcastInputs(c)
	if err != nil {
		return err
	}
	c.OutTensor(0, tensor.Bool, t.Shape...)
	return nil
}

// broadcastInputs returns the type that all inputs broadcast to. They must have the same element type.
func broadcastInputs(c *Infer) (ir.Type, error) {
	var shapes [][]ir.Dim
	first, err := c.Tensor(X)
	if err != nil {
		return first, err
	}
	for i := range c.In {
		t, err := c.Tensor(i)
		if err != nil {
			return first, err
		}
		if t.Elem != first.Elem {
			return first, fmt.Errorf("input %q is %s, want %s like input %q", c.In[i].Name, t.Elem, first.Elem, c.In[X].Name)
		}
		shapes = append(shapes, t.Shape)
	}
	shape, err := Broadcast(shapes...)
	return ir.TensorOf(first.Elem, shape...), err
}

// InferGradient returns an [Op.Infer] for the gradient of an operator with the given inference. Its inputs
// are dy and the inputs of the operator, at the positions in order if that is given. Its outputs are the
// gradients of the first of these. It rejects what the operator would reject.
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
		dy, y := c.Type(X), n.Out[0].Type
		if dy.Elem != y.Elem {
			return fmt.Errorf("input %q is %s, want a gradient of %s", c.In[X].Name, dy, y)
		}
		for i := range c.Node.Out {
			t, err := inner.FloatTensor(i)
			if err != nil {
				return err
			}
			c.Out(i, t)
		}
		return c.HasShape(X, y.Shape...)
	}
}
