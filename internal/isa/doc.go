// Package isa maps instructions to the extensions of amd64 that they need, by their text and by their bytes.
// Tests check each kernel with it; shipped code does not import it.
//
// It only knows the instructions of kernels, and rejects others: a new instruction needs a line in
// instructions.txt.
package isa
