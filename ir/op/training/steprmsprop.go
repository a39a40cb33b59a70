package training

// StepRMSprop is one step of RMSprop: the slots are the mean square, the mean where it is centered, and the
// velocity where it has momentum.
var StepRMSprop = perElement("StepRMSprop", 3)
