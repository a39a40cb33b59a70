// Package contrib contains the operators of ONNX Runtime's own domain, [op.Microsoft], which occur in models
// that it has optimized or quantized. Each is a synonym of operators of ONNX or bbgen, which replace it
// before types are inferred.
package contrib
