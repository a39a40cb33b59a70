package training

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// StepMuon is one step of Muon for a matrix: the slot is the momentum.
var StepMuon = stepper("StepMuon", 1, lowerStepMuon)

func lowerStepMuon(l *op.Lowering) error {
	w := l.In[stepParameter].Type
	if len(w.Shape) != 2 {
		return fmt.Errorf("input %q is %s, want a matrix", l.In[stepParameter].Name, w)
	}
	rows, cols := w.Shape[0], w.Shape[1]
	side := rows.Min(cols)
	tmp := l.Scratch(w.Elem, ir.C(2).Mul(rows.Mul(cols).Add(side.Mul(side))))
	args := stepArgs(l, 1)
	l.Call("StepMuon", append(append(args[:2:2], tmp), append(args[2:], rows, cols, stepParams(l.Node))...)...)
	return nil
}
