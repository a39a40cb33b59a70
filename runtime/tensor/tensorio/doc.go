// Package tensorio reads and writes the files that tensors come in: ONNX's
// TensorProto, SequenceProto and OptionalProto, and numpy's .npy. It knows
// data, not graphs, and ONNX's schema only as field numbers, so that a shipped
// binary carries no schema.
//
// Files are not trusted: sizes are checked against the bytes at hand before
// anything is allocated.
package tensorio
