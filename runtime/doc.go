// Package runtime is what generated code links beside the kernels: the version
// handshake, the description of a model by its tensors, and the [Node] that runs
// a peer of a distributed program.
//
// A Node is told what has happened and asked what to do: [Node.Deliver],
// [Node.Invoke], [Node.Complete] and the like in, [Node.Poll] out. Generated
// code is blocks of straight-line Go in frames ([Body]); the Node brings the
// values that blocks wait for, joins what many peers send, keeps what it sends
// until the receiver has it, and writes all that down in a [Node.Snapshot].
//
// The package performs no I/O, starts no goroutine, reads no clock and draws no
// random number that does not follow from its configuration.
package runtime
