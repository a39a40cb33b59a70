package op

// Own is the domain of bbgen's own operators, which passes make.
const Own = "ai.bbgen"

// Microsoft is the domain of the operators that ONNX Runtime's optimizer and its
// quantizer write. Here each is other words for operators of ONNX, and is
// replaced by them before types are inferred, so that all that is known of those
// holds for it.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
const Microsoft = "com.microsoft"

// Tensors is the domain of operators that libraries of tensors have, and ONNX does not.
const Tensors = "ai.bbgen.tensor"
