// Package snapshot encodes the parts of which a snapshot consists: numbers, strings, peers, executions, tensors, and objects
// with an encoding of their own. What a snapshot contains, and in which order, is package runtime's.
package snapshot
