// Package mem runs the peers of a program in one process, on a virtual clock and a simulated network: with
// delay, loss, duplication, reordering, one-way partitions, corruption, clock drift, crashes and restarts from
// snapshots.
//
// A [Network] depends only on its configuration, its seed and its faults: the same three give the same steps,
// and the same [Network.Hash]. A failing run is replayed from its seed, and [Shrink] finds a minimal list of
// faults.
//
// Corrupted bytes do not reach a peer: as with an authenticated channel, the receiver detects them and the
// channel breaks. All that is on its way then, in both directions, is lost, which is more than on a real connection: there,
// what was sent before the damaged bytes may still arrive. Peers may rely on neither.
package mem
