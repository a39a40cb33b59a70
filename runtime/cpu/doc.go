// Package cpu holds the kernels that generated code calls: slices in, slices out, the numbers last. A kernel
// returns nothing and allocates nothing. Wrong shapes and indices are mistakes of the caller, except those
// that depend on data: then the kernel panics with an [Error], which the generated Run returns.
//
// Every kernel has a portable form in plain Go. Some have assembly in addition; the choice is made in one
// place, by [Level]: the highest level all of whose extensions the processor has, unless BBGEN_CPU names a
// lower one.
package cpu
