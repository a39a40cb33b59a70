package training

// StepSGD is one step of stochastic gradient descent, with a velocity if there is a slot.
var StepSGD = perElement("StepSGD", 1)
