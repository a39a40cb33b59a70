// Package exec executes single operators and whole graphs: servers of remote devices compute with it. It is
// the only place where a shipped binary interprets a graph, because graphs arrive there at run time, and a
// server need not have a Go compiler.
//
// A graph goes through the passes of the compiler once for each combination of input shapes. If all sizes are
// known then, it is planned like generated code: its values share an arena, and its calls are looked up once.
// Otherwise package ir/eval evaluates it.
package exec
