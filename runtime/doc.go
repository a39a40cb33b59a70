// Package runtime is the engine of distributed programs: the [Node], which runs a peer, and the tables in which
// generated code describes the program. It also holds the version handshake of all generated code.
//
// The package performs no I/O, starts no goroutine, reads no clock, and draws random numbers only from sources
// that follow from its configuration.
//
// # Three faces
//
// The package has three kinds of callers, and each has a type of its own for what it may call, which the compiler checks:
// generated code an [Engine], components a [Peer], and hosts the [Node]. All three are the same Node. A test compares the
// other names that each kind of caller uses with the lists in testdata/faces.txt; a name in none of the lists is not
// exported.
//
// Generated code describes itself in tables and calls the engine. A peer runs a [Partition]: its [Module] rows name
// blocks of straight-line Go and the cut points where values arrive, its [Edge] rows the values that peers send
// each other. An execution of a module is a [Body], which embeds a [Frame]. Its blocks call the [Engine]: [Engine.Start]
// begins a command, [Engine.Send] sends a value, [Engine.Expect] gathers values of many peers, [Engine.After] waits,
// [Engine.Emit] gives a value to the host, [Engine.Begin] begins the next round. None of this is meant to be called by
// hand.
//
// A component is a Go value that the author binds to a slot. It implements [Component] if it has state that
// snapshots keep, [Opener] if it needs its environment before use, and [Gatherer], [Shaped] or [model.Backend] if its
// role uses these. The [Env] describes its peer and holds everything outside of the component that it may use.
// A method that takes a [Peer] may read the time ([Node.Now]), draw random numbers ([Node.Rand]) and query
// peers ([Node.Self], [Node.Peers], [Node.ClassOf], [Node.Healthy], [Node.Address]); it may add addresses
// ([Node.InsertAddress]), admit peers ([Node.Allow]) and tell the host something ([Node.Notify]). A Peer neither sends
// nor begins executions: the program does.
//
// A host is the program around a Node; it owns the network, the clock and the files. It makes the Node with
// [New] or [Restore], reports events to it ([Node.Deliver], [Node.Invoke], [Node.Complete], [Node.Tick]), and
// asks with [Node.Poll] what to do next. The Node passes values to the blocks that wait for them, gathers
// values of many peers, keeps sent messages until the receiver has acknowledged them, and writes all of its
// state to a [Node.Snapshot]. The packages below host are such programs.
//
// # Packages beside it
//
// The package holds the engine and the three faces. Everything that does not need a Node has a package of its own.
// Generated code, components and hosts import these:
//
//	values             how values look in messages, frames and snapshots; components write their state with it
//	model              a model without peers: programs, sessions, trainers
//	fault              which node of a model failed
//	limits             how much there may be of what grows
//	classes            of which classes peers are
//	telemetry          what a Node measures
//	collective         what peers compute together
//
// and the engine alone these:
//
//	internal/inbox       what a peer has sent, what is durable, what is acknowledged
//	internal/outbox      what is kept for a peer until it is acknowledged, and the payloads of that
//	internal/quorum      when a gather has enough contributions, and when it never will
//	internal/begun       which executions the node and its earlier incarnations have begun
//	internal/snapshot    how the parts of a snapshot are encoded
//	internal/estimate    what a varying time usually is, and rarely exceeds
//	internal/checkpoint  when a snapshot is needed, and what the last one has made durable
//	internal/extremes    the lowest and highest values of a recent time, such as those of a link
//	internal/results     which results of executions wait for a snapshot before the host is told
//	internal/ledger      how much of each limited resource is used, and for which peer
//	internal/reason      what other peers may know of a failure
//	internal/random      where peers draw random numbers
//	internal/container   queue, heap, set and hash table
//	internal/enginetest  tests that look at Nodes from outside
//
// # How the engine reads
//
// Calls go one way, from the last line to the first; a test in internal/arch has the files of each:
//
//	program      what generated code and hosts give to a Node: tables, settings, outputs
//	state        what the Node records: peers, frames, executions, commands, timers, events, messages that wait. It decides
//	reports      what the host is told
//	peers        which there are, whether they are heard, what is sent to them
//	executions   values arrive or are lost, blocks become ready or fail, gathers and collectives end
//	values       commands, queues and connected peers give values to executions
//	messages     what peers have sent is checked, fetched, loaded, and given to executions
//	connections  peers come, go, fall silent, and start again
//	life         bootstrap, running, stopping
//	cycle        [Node.Poll]: each phase of a cycle in its order, and what goes out at its end
//	use          what hosts and generated code call: New, Invoke, Snapshot, Restore and others
//
// # What stays compatible
//
// This package serves generated code of all versions from [MinVersion] to [GenVersion]. It
// builds, and it computes the same. A name leaves the face of generated code, or changes
// its meaning, only when MinVersion is raised above the last version that calls it; a name
// that new code begins to call raises GenVersion. [Check] makes any other pair of code and
// runtime a compile error, at a line with a comment that says what to do. The same holds for what generated code calls
// in the packages beside this one, which a test records with it. What it names of components and of hosts has the promise
// of these.
//
// The faces of components and hosts follow the major version of the module: from v1 on,
// nothing is removed or changes its meaning as long as it is the same. [Peer], which only the Node implements, may
// get more methods. Interfaces that components implement get no more methods; a new ability is an interface of its
// own, which is looked for. Structs that hosts fill in get more fields, and the zero value of a new field means what
// was done before. So name the fields of [Config], [Env] and [limits.Limits] in literals.
//
// # Who owns the bytes of a value
//
// Bytes that are passed to a Node are borrowed until the call returns, and so are the bytes that it returns. An
// envelope is copied when it is delivered, or lent until the Node has read it, or handed over in memory with a
// reference count ([Node.Lend]). [Output] says how
// long the host may read outgoing bytes: payloads that are [Final] for as long as it holds a reference to them.
// Small values are copied, and their memory is reused.
//
// A [tensor.Large] value must not be changed after it was set, as long as it has readers. Received values,
// values that frames compute, and values that [Engine.Send] copies are in a [tensor.Memory], which has a
// reference count: frames, payloads and hosts hold references, and when the last one is released the memory is
// reused for another value. The memory of a value that was given to a host is never reused; memory without a
// reference count is left to the garbage collector. So a frame shares a received value ([values.TakeDense]),
// and passes it to the next round ([Engine.Begin]), to the host ([values.Kept]) and to the outbox
// ([Engine.SendKept]) without a copy. A [wire.Blob] is never changed either; a blob in a file is released with
// its last reference.
//
// A component borrows its arguments until it returns. Its results remain its own, and may change with the next
// call, large or not: [Engine.Send] copies them. To share a value instead, a component makes it with
// [tensor.NewDense]. The documentation of package tensor has a table of what each call does with the memory.
package runtime
