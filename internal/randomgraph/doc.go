// Package randomgraph draws graphs for tests that compare two ways to run them.
//
// [Draw] draws an ONNX model of operators of the table: what passes fuse and near
// misses of it, control flow, quantized parts, shape arithmetic, sizes that change
// from one run to the next. Each family of operators has a file; package
// randomgraph/differ compares what runs. [New] draws small graphs over matrices for
// tests of the planner and the partitioner.
package randomgraph
