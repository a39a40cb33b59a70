// Package bbgen compiles machine-learning programs to Go.
//
// A program is an ONNX model. Package ir/onnx reads the file into the graph of package
// ir, and [Compile] takes that through the [Stages]: package ir/train adds a training
// step; package ir/pass rewrites the graph; package codegen/plan decides which kernels
// run in which order and where every value lives; package codegen prints that as Go.
// The code calls the kernels of package runtime/cpu and nothing that walks a graph.
//
// A network may be written in Go, too: package dsl/nn makes an ONNX model of it.
//
// A program for several peers is written with package dsl, and recorded as an ONNX
// model, too. Package partitioner cuts it at its network edges into what each class
// of peers runs when; package codegen/peerplan decides what a peer keeps and where, of
// which codegen prints a package for package runtime's Node.
package bbgen
