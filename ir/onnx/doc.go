// Package onnx converts between ONNX's ModelProto and the graph of package ir. It handles the file format:
// the data of tensors, the scopes of names, and the opsets of nodes. It does not depend on operators.
//
// Files are untrusted: for any input, [Decode] returns an error of one line that names the file, the node and
// the cause. It does not panic, and checks sizes before it allocates.
//
// [Decode] reads in decode, graph, scope, attr, types and tensor (external, sparse), functions and funcid,
// training (state), and meta (metadata, annotate). [Encode] writes in the files encode*. Other functions
// change a file without making a module of it: weights, normalize, inference.
package onnx
