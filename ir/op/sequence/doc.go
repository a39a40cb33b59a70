// Package sequence contains the operators of sequences and optionals, and of tensors of a rank that is known
// only at run time.
package sequence
