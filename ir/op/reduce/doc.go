// Package reduce holds the operators that make fewer elements of those along axes: sums,
// means and the like, the place of the largest; and those that do so step by step, such as
// CumSum.
package reduce
