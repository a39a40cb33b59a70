// Package exec executes single operators and whole graphs for whoever asks: it is what a
// server of remote devices computes with, and the one place where a shipped binary walks a
// graph. Graphs come at run time there, and a server need not have a Go compiler.
//
// A graph goes through the passes of the compiler once for each combination of input
// shapes. One whose sizes are known then is planned like generated code: its values share
// an arena, and its calls are looked up once. Others go through package ir/eval.
package exec
