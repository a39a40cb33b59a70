package training

// StepAdam is one step of Adam: the slots are the two moments and, for AMSGrad, the largest second one.
var StepAdam = stepper("StepAdam", 3, stepLower("StepAdam", 3))
