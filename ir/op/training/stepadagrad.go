package training

// StepAdagrad is one step of Adagrad: the slot is the sum of squares.
var StepAdagrad = stepper("StepAdagrad", 1, stepLower("StepAdagrad", 1))
