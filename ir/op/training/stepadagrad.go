package training

// StepAdagrad is one step of Adagrad: the slot is the sum of squares.
var StepAdagrad = perElement("StepAdagrad", 1)
