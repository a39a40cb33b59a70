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
//
// # Who owns the bytes of a value
//
// Bytes that a Node is given are borrowed until the call returns, and so are those
// that it gives: an envelope is copied when it is delivered, or lent until the Node
// has read it ([Node.Lend]), and [Output] says how long the host may read what goes
// out: payloads that are [Final] for as long as it has a share in them. Small values are copied
// wherever they go, and their memory is used again.
//
// A [tensor.Large] value is final once it is set: nobody writes to its memory as long
// as somebody reads it. What comes, what frames compute and what [Node.Send] copies stands
// in a [tensor.Memory], which counts who does: frames, payloads and hosts have a share
// until they say that they have not, and the last one lets another value have the memory.
// What is told to a host is never used again, and what nobody counts the garbage
// collector lets go. So a frame shares what came ([TakeDense]), hands it to the next round ([Node.Begin]), to the host ([Kept]) and to
// the outbox ([Node.SendKept]) without a copy. A [wire.Blob] is never changed either;
// one in a file is let go by the last that has a share in it.
//
// A component borrows what it is given until it returns. What it returns is its own,
// and large or not it may change with the next call: [Node.Send] copies it. One that is
// to be shared instead it makes with [tensor.NewDense].
package runtime
