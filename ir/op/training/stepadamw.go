package training

// StepAdamW is one step of AdamW, with the slots of [StepAdam].
var StepAdamW = perElement("StepAdamW", 3)
