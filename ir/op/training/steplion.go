package training

// StepLion is one step of Lion: the slot is the momentum.
var StepLion = perElement("StepLion", 1)
