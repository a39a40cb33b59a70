// Package bbgen compiles machine-learning programs to Go.
//
// A program is an ONNX model. Package ir/onnx reads the file into the graph of package
// ir, and [Compile] takes that through the [Stages]: package ir/train adds a training
// step; package ir/pass rewrites the graph; package codegen/plan decides which kernels
// run in which order and where every value lives; package codegen prints that as Go.
// The code calls the kernels of package runtime/cpu and nothing that walks a graph.
//
// A network may also be written in Go: package dsl/nn exports it as an ONNX model.
//
// A program for several peers is written with package dsl, and also recorded as an ONNX model. Package
// partitioner cuts it at its network edges into blocks for each class of peers; package codegen/peerplan
// decides what a peer keeps and where. From that, codegen prints a package for package runtime's Node.
package bbgen
