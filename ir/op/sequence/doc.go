// Package sequence contains the operators of sequences and optionals, and of tensors whose rank is known only
// at run time.
package sequence
