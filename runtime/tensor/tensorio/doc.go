// Package tensorio reads and writes files of tensors: ONNX's TensorProto, SequenceProto and OptionalProto, and
// numpy's .npy. It knows data, not graphs, and ONNX's schema only as field numbers, so that binaries contain no
// schema.
//
// Files are not trusted: sizes are checked against the available bytes before any allocation.
package tensorio
