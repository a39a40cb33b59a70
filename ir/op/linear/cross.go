package linear

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [Cross].
const (
	crossA = iota
	crossB
)

// Cross is the cross product of vectors of three elements along an axis.
var Cross = &op.Op{
	Name:    "Cross",
	Domain:  op.Tensors,
	Since:   []int{1},
	Attrs:   []op.Attr{{Name: "axis", Kind: op.Int, Default: -1}},
	Inputs:  []op.Port{crossA: {Name: "a", Types: elem.Numbers}, crossB: {Name: "b", Like: "a"}},
	Outputs: []op.Port{{Name: "c", Like: "a"}},
	Infer:   inferCross,
	Expand:  expandCross,
}

func inferCross(c *op.Infer) error {
	a, err := c.Tensor(crossA)
	if err != nil {
		return err
	}
	b, err := c.Tensor(crossB)
	if err != nil {
		return err
	}
	axis, err := op.Axis(c.Int("axis"), len(a.Shape))
	if err != nil {
		return err
	}
	if len(a.Shape) != len(b.Shape) || len(a.Shape) == 0 || !a.Shape[axis].Is(3) || !b.Shape[axis].Is(3) {
		return fmt.Errorf("the inputs are %s and %s, want one rank, and 3 elements along axis %d of both", a, b, axis)
	}
	shape, err := op.Broadcast(a.Shape, b.Shape)
	c.OutTensor(0, a.Elem, shape...)
	return err
}

// c[i] = a[i+1]·b[i+2] - a[i+2]·b[i+1], each index modulo 3
func expandCross(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	axis := op.Attrs("axis", n.Int("axis"))
	rotated := func(v *ir.Value, by int) *ir.Value {
		return b.OpA("Gather", axis, v, b.Ints(by%3, (by+1)%3, (by+2)%3))
	}
	p := b.Op("Mul", rotated(n.In[crossA], 1), rotated(n.In[crossB], 2))
	q := b.Op("Mul", rotated(n.In[crossA], 2), rotated(n.In[crossB], 1))
	return []*ir.Value{b.Op("Sub", p, q)}, nil
}
