package op

import (
	"fmt"
	"math"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Inferrer infers the types of nodes that rules build; see [ir.Builder].
type Inferrer struct{}

// Infer sets the types of the outputs of n according to the table.
func (Inferrer) Infer(m *ir.Module, n *ir.Node) error {
	o := Lookup(n)
	if o == nil {
		return fmt.Errorf("no such operator")
	}
	if n.Version == 0 {
		n.Version = o.Newest()
	}
	return o.Type(&Infer{Node: n, Module: m})
}

// Type infers the outputs of a node, and checks what rules need not check: that the node matches the schema,
// and that the sizes of its tensors are supported.
func (o *Op) Type(c *Infer) error {
	if err := o.Check(c.Node); err != nil {
		return err
	}
	if err := o.CheckTypes(c.Node); err != nil {
		return err
	}
	if err := checkSizes("input", c.In); err != nil {
		return err
	}
	if err := o.Infer(c); err != nil {
		return err
	}
	return checkSizes("output", c.Node.Out)
}

// MaxSize is the largest number of elements of a tensor, which exceeds the memory of any machine.
const MaxSize = min(1<<36, math.MaxInt-1)

// checkSizes rejects tensors with more axes than kernels support, with too many elements, or with sizes that
// are very long expressions.
func checkSizes(what string, vs []*ir.Value) error {
	for _, v := range vs {
		if v == nil || v.Type.Shape == nil {
			continue
		}
		if r := len(v.Type.Shape); r > tensor.MaxRank {
			return fmt.Errorf("%s %q has rank %d, want at most %d", what, v.Name, r, tensor.MaxRank)
		}
		if ir.Size(v.Type.Shape).TooLong() {
			return fmt.Errorf("%s %q has a size that is too complicated", what, v.Name)
		}
		known := ir.C(1)
		for _, d := range v.Type.Shape {
			if _, ok := d.Const(); ok {
				known = known.Mul(d)
			}
		}
		if n, _ := known.Const(); n > MaxSize {
			return fmt.Errorf("%s %q has shape %v, want at most %d elements", what, v.Name, v.Type.Shape, MaxSize)
		}
	}
	return nil
}
