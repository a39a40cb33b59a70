package op

// Tensors is the domain of operators that libraries of tensors have, and ONNX does not.
const Tensors = "ai.bbgen.tensor"
