package training

// StepSGD is one step of stochastic gradient descent, with a velocity if there is a slot.
var StepSGD = stepper("StepSGD", 1, stepLower("StepSGD", 1))
