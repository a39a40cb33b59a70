package op

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
)

// StateKind says what an initializer would be as a state that training changes,
// if it is input i of n: "" where it must stay a constant.
func (o *Op) StateKind(n *ir.Node, i int) ir.StateKind {
	switch {
	case !slices.Contains(o.Fixed, i):
		return ir.Parameter
	case o.Running != nil && n.Int("training_mode") != 0:
		return ir.Statistic
	}
	return ""
}
