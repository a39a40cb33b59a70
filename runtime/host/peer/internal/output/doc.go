// Package output writes the outputs of a running peer: its log, the lines of -events and the files of -out.
//
// Each kind is written by a goroutine of its own, in order, with a limited queue: a full disk, or a pipe
// without a reader, blocks neither the loop nor the other outputs. Outputs for which there is no room are
// counted and reported.
package output
