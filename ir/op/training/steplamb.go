package training

import "github.com/bbgen/bbgen/ir/op"

// StepLAMB is one step of LAMB: the slots are the two moments.
var StepLAMB = stepper("StepLAMB", 2, lowerStepLAMB)

func lowerStepLAMB(l *op.Lowering) error {
	w := l.In[stepParameter].Type
	args := stepArgs(l, 2)
	u := l.Scratch(w.Elem, w.Shape...)
	l.Call("StepLAMB", append(append(args[:3:3], u), append(args[3:], stepParams(l.Node))...)...)
	return nil
}
