// Package runtime is what generated code links beside the kernels: the version
// handshake, the description of a model by its tensors, and the [Node] that runs
// a peer of a distributed program.
//
// The package performs no I/O, starts no goroutine, reads no clock and draws no
// random number that does not follow from its configuration.
//
// # Three faces
//
// Three kinds of callers use the package. A test compares what each calls with the lists
// in testdata/faces.txt; a name that is in none of them is not exported.
//
// Generated code describes itself in tables and calls the engine. A model is a [model.Program]
// that makes [model.Session] values, a trainer a [model.TrainProgram]. What a peer runs is a
// [Partition]: its [Module] rows name blocks of straight-line Go and the cut points where
// values arrive, its [Edge] rows what peers send each other. An execution of a module is a
// [Body], which embeds a [Frame]. Its blocks call the Node: [Node.Start] begins a command,
// [Node.Send] sends a value, [Node.Expect] gathers values of many peers, [Node.After] waits,
// [Node.Emit] tells the host, [Node.Begin] begins the next round. Functions such as
// [values.TakeDense] and [values.KeepDense] move values between messages, frames and snapshots. None of
// this is meant to be called by hand.
//
// A component is what the author puts into a slot. It implements [Component] if it has
// state that snapshots keep, [Opener] if it asks where it runs, and [Gatherer], [Shaped]
// or [Backend] if its role has use for that. The [Env] tells it of its peer and is all of
// the world that it may touch. A method that takes the [Node] may read the time
// ([Node.Now]), draw random numbers ([Node.Rand]) and ask about peers ([Node.Self],
// [Node.Peers], [Node.ClassOf], [Node.Healthy], [Node.Address]); it may add addresses ([Node.InsertAddress])
// and admit peers ([Node.Allow]). It neither sends nor begins executions: the program does.
//
// A host is the program around a Node, with the network, the clock and the files. It makes
// the Node with [New] or [Restore], tells it what has happened ([Node.Deliver],
// [Node.Invoke], [Node.Complete], [Node.Tick]), and asks with [Node.Poll] what to do. The
// Node brings the values that blocks wait for, joins what many peers send, keeps what it
// sends until the receiver has it, and writes all that down in a [Node.Snapshot].
// Packages below host are such programs.
//
// # The rooms beside it
//
// The package is the engine and the three faces. What can be said without a Node has a
// package of its own, which the names here are aliases of or call:
//
//	values             how values look in messages, frames and snapshots
//	limits             how much there may be of what grows
//	model              a model without peers: programs, sessions, trainers
//	classes            of which classes peers are
//	telemetry          what a Node measures
//	collective         what peers compute together
//	internal/inbox     what has come from a peer, what is safe, what is acknowledged
//	internal/random    where peers draw random numbers
//	internal/fault     which node of a model failed
//	internal/container queue, set and hash table
//	internal/enginetest  tests that look at Nodes from outside
//
// # What stays compatible
//
// This package serves generated code of all versions from [MinVersion] to [GenVersion]. It
// builds, and it computes the same. A name leaves the face of generated code, or changes
// its meaning, only when MinVersion is raised above the last version that calls it; a name
// that new code begins to call raises GenVersion. [Check] makes any other pair of code and
// runtime a compile error, at a line whose comment says what to do.
//
// The faces of components and hosts follow the major version of the module: from v1 on,
// nothing is removed or changes its meaning as long as it is the same. Interfaces that components
// implement get no more methods; a new ability is an interface of its own, which is looked
// for. Structs that hosts fill in get fields whose zero value is what was done before, so
// name the fields of [Config], [Env] and [Limits] in literals.
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
// collector lets go. So a frame shares what came ([values.TakeDense]), hands it to the next round ([Node.Begin]), to the host ([values.Kept]) and to
// the outbox ([Node.SendKept]) without a copy. A [wire.Blob] is never changed either;
// one in a file is let go by the last that has a share in it.
//
// A component borrows what it is given until it returns. What it returns is its own,
// and large or not it may change with the next call: [Node.Send] copies it. One that is
// to be shared instead it makes with [tensor.NewDense].
package runtime
