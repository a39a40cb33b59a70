// Package math contains the operators that compute each element of their output from the elements at the same
// position: arithmetic, functions, comparisons, logic, bits and casts. Activations of networks are in package
// activation.
package math
