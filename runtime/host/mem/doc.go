// Package mem runs the peers of a program in one process, on a virtual clock and
// a network that is as bad as a seed says: delay, loss, duplication,
// reordering, one-way partitions, corruption, clocks that run apart, crashes and
// restarts from snapshots.
//
// A [Network] depends on its configuration, its seed and its faults alone: the
// same three give the same steps, and the same [Network.Hash]. A run that fails
// is played again by its seed, and [Shrink] finds the few faults that it takes.
//
// Corrupted bytes do not reach a peer: as with an authenticated channel, the
// receiver notices and the channel breaks.
package mem
