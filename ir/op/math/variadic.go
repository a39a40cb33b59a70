package math

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// foldVariadic is [op.InferBinary] for an operator that f computes on sizes.
func foldVariadic(f func(a, b ir.Dim) ir.Dim) func(c *op.Infer) error {
	return func(c *op.Infer) error {
		if err := op.InferBinary(c); err != nil {
			return err
		}
		knowVariadic(c, f)
		return nil
	}
}

// knowVariadic records the results of f for the elements of all inputs, applied one after the other, if all
// are known.
func knowVariadic(c *op.Infer, f func(a, b ir.Dim) ir.Dim) {
	out, ok := c.Content(op.X)
	for i := 1; ok && i < len(c.In); i++ {
		var x []ir.Dim
		if x, ok = c.Content(i); ok {
			out, ok = elementwise(out, x, func(a, b ir.Dim) (ir.Dim, bool) { return f(a, b), true })
		}
	}
	if ok {
		c.Know(0, out)
	}
}

// notTwo reports whether n does not have the two inputs of the kernel. Nodes on small floats are excluded, as
// they are first widened to float32 as a whole, so that they round once.
func notTwo(n *ir.Node) bool { return len(n.In) != 2 && !op.Small(n) }

// pairwise is any number of inputs as a chain of a binary operator.
func pairwise(binary string) func(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	return func(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
		v := n.In[op.X]
		for _, x := range n.In[1:] {
			v = b.Op(binary, v, x)
		}
		return []*ir.Value{v}, nil
	}
}

// pickGrad returns the gradient of an operator that selects the first operand where the comparison is true,
// and their mean where they are equal.
func pickGrad(b *ir.Builder, n *ir.Node, dy *ir.Value, picks string) []*ir.Value {
	x, y := n.In[op.A], n.In[op.B]
	half := op.ZeroUnless(b, b.Op("Equal", x, y), b.Op("Mul", dy, op.ScalarLike(b, x, 0.5)))
	dx := b.Op("Where", b.Op(picks, x, y), dy, half)
	dz := b.Op("Where", b.Op(picks, y, x), dy, half)
	return []*ir.Value{op.Unbroadcast(b, dx, x), op.Unbroadcast(b, dz, y)}
}

// sumGrad returns the gradient of a sum: each operand gets dy.
func sumGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	out := make([]*ir.Value, len(n.In))
	for i, x := range n.In {
		out[i] = op.Unbroadcast(b, dy[0], x)
	}
	return out
}
