// Package ir defines the graph that every stage reads and rewrites. It knows
// neither operators, nor ONNX's file format, nor Go's.
//
// A [Module] holds functions; a [Func] has a body, which is a [Region]: nodes
// in an order in which they can run. A [Node] reads values and defines values;
// the branches and bodies of control flow are regions of the node and read the
// values around them by simply naming them. A [Value] has a [Type], whose
// shape is made of [Dim] expressions: integers, symbols and what arithmetic
// makes of them.
//
// The graph has a text form ([Print], [Parse]) and a checker ([Verify]) that
// holds after every pass.
package ir
