package op

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
)

// StateKind returns the kind of state of an initializer that is input i of n when it is trained, or "" if it
// must stay a constant.
func (o *Op) StateKind(n *ir.Node, i int) ir.StateKind {
	switch {
	case !slices.Contains(o.Fixed, i):
		return ir.Parameter
	case o.Running != nil && n.Int("training_mode") != 0:
		return ir.Statistic
	}
	return ""
}
