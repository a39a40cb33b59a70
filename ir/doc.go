// Package ir defines the graph that every stage reads and rewrites. It depends neither on operators, nor on
// ONNX's file format, nor on Go's syntax.
//
// A [Module] holds functions. The body of a [Func] is a [Region]: nodes in an order in which they can run. A
// [Node] reads values and defines values. The branches and bodies of control flow are regions of a node; they
// can read all values visible at the node. A [Value] has a [Type]. A shape consists of [Dim] expressions:
// integers, symbols, and arithmetic over them.
//
// The graph has a text form ([Print], [Parse]) and a checker ([Verify]), which every pass must satisfy.
package ir
