package peerplan

import (
	"fmt"

	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/partitioner"
)

// Compute is a computation and its memory on the peer.
type Compute struct {
	*partitioner.Compute
	Plan  *plan.Plan
	Part  string // prefix of the names of its types
	Field string // the field of type peer
	File  string
	Base  int // offset of its constants in weights.bin
}

// addComputes plans the computations of all modules.
func (p *Plan) addComputes(names scopes) (err error) {
	p.eachStep(func(s *partitioner.Step) {
		if c := s.Computation(); err == nil && c != nil && p.computeOf[c] == nil {
			err = p.addCompute(c, names)
		}
	})
	return err
}

func (p *Plan) addCompute(c *partitioner.Compute, names scopes) error {
	memory, err := plan.ForPeer(c.Func, p.Part.Program.Target)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	x := &Compute{Compute: c, Plan: memory, Part: names.types.Local(c.Name), Field: names.fields.Local(c.Name), File: names.files.Local(c.Name)}
	for _, s := range []string{"Context", "Weights", "Inputs", "Outputs"} {
		names.types.Take(x.Part + s)
	}
	p.Computes, p.computeOf[c] = append(p.Computes, x), x
	return nil
}

// ComputeOf returns the peer's entry for a computation.
func (p *Plan) ComputeOf(c *partitioner.Compute) *Compute { return p.computeOf[c] }
