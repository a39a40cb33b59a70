// Package sequence holds the operators of sequences and optionals, and of tensors whose rank
// only a run tells.
package sequence
