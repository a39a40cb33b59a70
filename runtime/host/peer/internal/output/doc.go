// Package output writes what a peer gives to the outside while it runs: its log, the lines
// of -events and the files of -out.
//
// Each is written by a goroutine of its own, in order, and what waits is bounded: a disk
// that is full, or a pipe that nobody reads, holds up neither the loop nor the others. What
// there is no room for is counted, and told.
package output
