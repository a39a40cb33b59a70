// Package randomgraph draws random graphs for tests that compare two ways to run them.
//
// [Draw] draws an ONNX model with operators of the table: patterns that passes fuse and near misses of these,
// control flow, quantized parts, shape arithmetic, and sizes that change from run to run. Each family of
// operators has a file; package randomgraph/differ compares the results of runs. [New] draws small graphs
// over matrices for tests of the planner and the partitioner.
package randomgraph
