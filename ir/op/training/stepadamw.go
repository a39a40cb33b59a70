package training

// StepAdamW is one step of AdamW: the slots are those of [StepAdam].
var StepAdamW = stepper("StepAdamW", 3, stepLower("StepAdamW", 3))
