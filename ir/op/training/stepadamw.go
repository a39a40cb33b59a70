package training

// StepAdamW is one step of AdamW, with the slots of [StepAdam].
var StepAdamW = stepper("StepAdamW", 3, stepLower("StepAdamW", 3))
