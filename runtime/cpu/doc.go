// Package cpu holds the kernels that generated code calls: slices in, slices
// out, the numbers last. A kernel returns nothing and allocates nothing; shapes
// and indices that do not fit are the caller's mistake, except where they come
// from data: then the kernel panics with an [Error], which the generated Run
// returns.
//
// Every kernel has a portable form in plain Go. Some have assembly beside it;
// the choice is made in one place, by [Level]: the highest one all of whose
// extensions the processor has, unless BBGEN_CPU names one below it.
package cpu
