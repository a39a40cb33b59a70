// Package reduce contains reductions along axes: sums, means and the like, the position of the largest
// element; and cumulative operators such as CumSum.
package reduce
