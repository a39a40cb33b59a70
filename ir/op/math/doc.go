// Package math holds the operators that compute each element of their output from those
// at its place: arithmetic, functions, comparisons, logic, bits and casts. Activations of
// networks are in package activation.
package math
