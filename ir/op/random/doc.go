// Package random holds the operators that draw random numbers, each from a stream of its
// own; Dropout is one of them.
package random
