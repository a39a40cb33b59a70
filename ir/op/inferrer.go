package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
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
	if err := o.Check(n); err != nil {
		return err
	}
	return o.Infer(&Infer{Node: n, Module: m})
}
