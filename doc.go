// Package bbgen compiles machine-learning programs to Go.
//
// A program is an ONNX model. [Compile] takes it through the stages: package
// ir/onnx reads the file into the graph of package ir; package ir/pass rewrites
// the graph; package codegen/plan decides which kernels run in which order and
// where every value lives; package codegen prints that as Go. The code calls the
// kernels of package runtime/cpu and nothing that walks a graph.
package bbgen
