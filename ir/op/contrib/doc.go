// Package contrib holds the operators of ONNX Runtime's own domain, [op.Microsoft], that
// models hold which it has optimized or quantized. Each is other words for operators of
// ONNX, or of bbgen's, which take its place before types are inferred.
package contrib
