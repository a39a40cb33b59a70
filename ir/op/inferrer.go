package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Inferrer types the nodes that a rule builds; see [ir.Builder].
type Inferrer struct{}

// Infer gives the outputs of n their types from the table.
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

// Type gives the outputs of a node their types, after checking what no rule
// needs to: how many inputs and outputs there are, and that none has more axes
// than kernels take.
func (o *Op) Type(c *Infer) error {
	if err := o.Check(c.Node); err != nil {
		return err
	}
	if err := checkRanks("input", c.In); err != nil {
		return err
	}
	if err := o.Infer(c); err != nil {
		return err
	}
	return checkRanks("output", c.Node.Out)
}

// checkRanks refuses tensors with more axes than kernels take.
func checkRanks(what string, vs []*ir.Value) error {
	for _, v := range vs {
		if v != nil && len(v.Type.Shape) > tensor.MaxRank {
			return fmt.Errorf("%s %q has rank %d, want at most %d", what, v.Name, len(v.Type.Shape), tensor.MaxRank)
		}
	}
	return nil
}
