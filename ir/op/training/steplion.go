package training

// StepLion is one step of Lion: the slot is the momentum.
var StepLion = stepper("StepLion", 1, stepLower("StepLion", 1))
