// Package onnx reads ONNX's ModelProto into the graph of package ir and writes
// it back. It knows the file format: where a tensor's bytes lie, what a name
// refers to, which opset gives a node its meaning. It knows no operator.
//
// A file is somebody else's: whatever it holds, [Decode] returns an error of
// one line that names file, node and cause. It never panics, and checks sizes
// before it allocates.
package onnx
