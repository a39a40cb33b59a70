package op

// Own is the domain of bbgen's own operators, which passes create.
const Own = "ai.bbgen"

// Microsoft is the domain of the operators that ONNX Runtime's optimizer and quantizer write. Here each is a
// synonym of other operators, which replace it before types are inferred, so that all their properties apply
// to it.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
const Microsoft = "com.microsoft"

// Tensors is the domain of operators that tensor libraries have, but ONNX does not.
const Tensors = "ai.bbgen.tensor"
