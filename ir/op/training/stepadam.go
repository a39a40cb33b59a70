package training

// StepAdam is one step of Adam: the slots are the two moments and, for AMSGrad, the largest second one.
var StepAdam = perElement("StepAdam", 3)
