package plan

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
)

// Block is a list of steps that a plan repeats with different weights and operands, such as the layers of a
// transformer or the units of a residual stage.
type Block struct {
	Steps   []Step      // of the first repetition
	Params  []*Var      // operands of the first repetition that differ in others
	Weights [][]*Weight // by repetition; all lists have the same length
	Consts  []*Var      // of the first repetition: the variables of Weights[0]
	Locals  []*Var      // variables that each repetition uses only internally
	Count   int
}

// First returns the first node that the steps compute, or nil.
func (b *Block) First() *ir.Node {
	for _, s := range b.Steps {
		if n := s.node(); n != nil {
			return n
		}
	}
	return nil
}

// Rolled is one repetition of a block.
type Rolled struct {
	Block *Block
	Index int
	Args  []*Var
	Steps []Step // its steps, for liveness
}

func (*Rolled) operands(*Plan, visitor) {}

func (r *Rolled) bodies() []*[]Step { return []*[]Step{&r.Steps} }

func (*Rolled) order() order { return inlined }

func (*Rolled) binds() []string { return nil }

func (*Rolled) node() *ir.Node { return nil }

func (r *Rolled) kernels() (calls []*Call) {
	for _, s := range r.Steps {
		calls = append(calls, s.kernels()...)
	}
	return calls
}

// Grows reports whether the repetition makes room for x.
func (r *Rolled) Grows(x *Var) bool {
	return slices.ContainsFunc(r.Steps, func(s Step) bool {
		g, ok := s.(*Grow)
		return ok && g.Var == x
	})
}
