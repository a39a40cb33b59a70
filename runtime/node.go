package runtime

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/runtime/internal/begun"
	"github.com/bbgen/bbgen/runtime/internal/checkpoint"
	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/internal/extremes"
	"github.com/bbgen/bbgen/runtime/internal/ledger"
	"github.com/bbgen/bbgen/runtime/internal/outbox"
	"github.com/bbgen/bbgen/runtime/internal/random"
	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/telemetry"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// A Node runs a partition of a distributed program on one peer. It performs no I/O: a host reports events to
// it, with the time, and carries out what Poll returns. It is not safe for concurrent use.
//
// Time is in nanoseconds since the incarnation started, and never decreases: an earlier time counts as the
// latest one seen. The outputs of a Node depend only on the calls, so that a recorded run can be replayed.
//
// Most of its state is in parts with methods and tests of their own, which decide; the Node carries out. Each peer
// has an inbox and an outbox, each Frame its gathers.
type Node struct {
	config Config
	limits limits.Limits

	ledger     ledger.Ledger      // what is used of the limits
	outbox     outbox.Store       // the payloads in the outboxes of peers
	timers     timers             // of frames, modules and peers
	checkpoint checkpoint.Tracker // when a snapshot is needed, and what is durable
	histories  histories          // which executions live or have finished
	commands   commands           // that wait, run or have completed
	ingress    ingress            // delivered envelopes, before they are read
	early      early              // envelopes that wait for the end of the bootstrap
	reports    reports            // events for the host and for modules

	// The program. It does not change.
	partition *Partition
	modules   []module
	edges     container.Table[wire.EdgeID, int] // the edges on which it receives
	suffixes  [][]byte                          // of the edges
	withdraws bool                              // see [mayWithdraw]
	gatherers []gatherer                        // of the components
	sources   []random.Source                   // of random numbers, one for each target

	// The life of the node.
	now       int64
	phase     phase
	unbooted  []int      // modules with Bootstrap that the host has to invoke and has not
	rebooting []frameRef // bootstraps that the host has begun again
	over      bool       // the event of the last phase has been returned to the host
	begun     begun.Numbers
	restored  bool // it was restored from a snapshot

	// The peers.
	self          *peer
	peers         container.Table[wire.PeerID, *peer]
	byIndex       []*peer          // by their indices, in the order in which they were admitted
	roster        []*peer          // in the order of ranks and classes
	lastPeer      *peer            // the one found last
	down          container.Bitset // the indices of peers that do not respond
	reexamine     bool             // gathers and calls are to be examined, as a peer may be lost
	nextScan      int64            // when silent peers are looked for
	census        census
	communicators []*communicator

	flows []Flow // of the edges

	// What is received.
	envelope wire.Envelope  // that is being read
	lent     *tensor.Memory // the memory of the envelope, if the host has handed it over

	// The executions.
	frontier    container.Fifo[frontierItem]
	first, last *Frame   // the live frames
	finished    []*Frame // to be recycled by the next Poll
	gathered    []Body   // the result of [Engine.Gathered]
	target      int      // the target of the running block
	running     *Frame   // whose block runs; nil: none does
	ops         int      // used since Poll yielded or had nothing to do
	awaits      []await
	tags        uint64 // that CorrelateTag has returned
	spool       values.Keeper
	dropped     uint64 // see [Node.Dropped]

	// What is sent.
	opened    []opened              // envelopes of the running block
	receivers []*peer               // of the value that is being sent
	scheduled container.Fifo[*peer] // peers with an outbox to examine
	sent      wire.Envelope         // returned by the last Poll
	handed    []*peer               // to which the last cycle has sent, and which acknowledge nothing
	scratch   [256]byte             // see [Engine.Scratch]

	// What is reported to the host.
	out       container.Fifo[output]
	stats     Stats
	rate      extremes.Recent // bytes a second that other peers have acknowledged
	near      int             // other peers of this machine
	telemetry telemetry.Telemetry
	span      Span // of the last call of Config.Span
}

// New returns a Node for a peer that starts without a snapshot.
func New(c Config, p *Partition) (*Node, error) {
	switch {
	case c.Self.IsZero():
		return nil, errors.New("runtime: no peer id")
	case c.Incarnation == 0:
		return nil, errors.New("runtime: no incarnation")
	}
	if c.Limits.Ops == 0 {
		c.Limits = limits.Default()
	}
	n := &Node{
		config: c, limits: c.Limits, partition: p, modules: compile(p), spool: values.Keeper{Spool: c.Spool},
		sources: random.Sources(c.Seed, p.Class, c.Rank), gatherers: gatherers(p), withdraws: mayWithdraw(p), communicators: communicators(p),
		flows: make([]Flow, len(p.Edges)), census: census{},
		commands: commands{slots: make([]slot, len(p.Slots))}, reports: reports{self: c.Self, durable: c.Durable, limit: c.Limits.Events},
	}
	for i, e := range p.Edges {
		n.suffixes = append(n.suffixes, wire.AppendSite(nil, e.ID))
		if e.Receives {
			n.edges.Put(container.HashEdge(e.ID), e.ID, i)
		}
	}
	n.begun = begun.New(c.Self, c.Incarnation)
	n.ledger.SetLimits(&n.limits)
	n.outbox = outbox.NewStore(&n.spool, &n.ledger, n.limits.Wire.Chunk)
	n.unbooted = mustBoot(n.modules)
	for i := range n.modules {
		n.modules[i].spool = &n.spool
		for _, k := range n.modules[i].On {
			n.reports.listens |= 1 << k
		}
	}
	if err := n.Allow(PeerConfig{ID: c.Self, Class: p.Class, Rank: c.Rank}); err != nil {
		return nil, err
	}
	n.self = n.peer(c.Self)
	n.self.connected, n.self.uses = true, ledger.Own()
	n.count(n.self)
	n.self.outbox.Accept(n.limits.Wire.Envelope, n.limits.Wire.Chunk)
	for _, pc := range c.Peers {
		if pc.ID != c.Self {
			if err := n.Allow(pc); err != nil {
				return nil, err
			}
		}
	}
	return n, nil
}

// Install returns a Node that runs the partition as the peer of rank 0 of its class, with default settings. The
// host admits other peers with [Node.Allow]. Use [New] to choose the settings.
func (p *Partition) Install(self wire.PeerID, addr wire.Address) (*Node, error) {
	n, err := New(Config{Self: self, Incarnation: 1}, p)
	if err != nil {
		return nil, err
	}
	return n, n.Allow(PeerConfig{ID: self, Class: p.Class, Addresses: []wire.Address{addr}})
}

// Now returns the time of the latest call.
func (n *Node) Now() int64 { return n.now }

// Self returns the id of this peer.
func (n *Node) Self() wire.PeerID { return n.self.id }

// Now returns the time of the latest call.
func (e *Engine) Now() int64 { return e.now }

// Self returns the id of this peer.
func (e *Engine) Self() wire.PeerID { return e.self.id }

// Scratch returns an empty slice with some capacity. A block appends the bytes of a small value to it, and sends them before
// the next call.
func (e *Engine) Scratch() []byte { return e.scratch[:0] }

// Tick advances the time.
func (n *Node) Tick(now int64) { n.advance(now) }

// moduleNamed returns the number of a module, or -1.
func (n *Node) moduleNamed(name string) int {
	return slices.IndexFunc(n.modules, func(m module) bool { return m.Name == name && !m.Child })
}

// Invoke begins an execution of a module with values for its inputs, in their order. They are borrowed until it
// returns: large values are copied. During the bootstrap, only the modules of [Node.Unbooted] can be invoked.
func (n *Node) Invoke(now int64, module string, inputs ...tensor.Value) (wire.ExecID, error) {
	n.advance(now)
	i := n.moduleNamed(module)
	switch {
	case i < 0:
		return wire.ExecID{}, fmt.Errorf("invoke %s: there is no such module", module)
	case n.phase == phaseRunning && !n.mayInvoke(i):
		return wire.ExecID{}, fmt.Errorf("invoke %s: %w", module, ErrBooting)
	case !n.mayInvoke(i):
		return wire.ExecID{}, fmt.Errorf("invoke %s: %w: it is %v", module, errNotRunning, n.phase)
	}
	own := make([]tensor.Value, len(inputs))
	for k, v := range inputs {
		own[k] = copied(v)
	}
	f, err := n.invoke(i, own)
	if f == nil {
		return wire.ExecID{}, err
	}
	n.booted(i)
	n.reboot(f)
	return f.exec, nil
}

// Answers returns the names of a module and of the modules that answer it: an execution that the host begins
// has ended when all of them have run.
func (n *Node) Answers(module string) []string {
	names := []string{module}
	for i := range n.modules {
		if m := &n.modules[i]; m.Name == module && !m.Child {
			for _, a := range m.Answers {
				names = append(names, n.modules[a].Name)
			}
		}
	}
	return names
}

// InputNames returns the names of the inputs of a module that a host may invoke, in their order.
func (n *Node) InputNames(module string) ([]string, error) {
	var can []string
	for i := range n.modules {
		m := &n.modules[i]
		if m.Child || len(m.Inputs) == 0 && !m.Bootstrap {
			continue
		}
		var names []string
		for _, c := range m.Inputs {
			names = append(names, m.Cuts[c].Name)
		}
		if m.Name == module {
			return names, nil
		}
		if len(names) == 0 {
			continue
		}
		can = append(can, fmt.Sprintf("%s with %s", m.Name, strings.Join(names, ", ")))
	}
	if len(can) == 0 {
		return nil, fmt.Errorf("invoke %s: no module of this peer has an input from its host", module)
	}
	return nil, fmt.Errorf("invoke %s: there is no such module; there are: %s", module, strings.Join(can, "; "))
}

var errNotRunning = errors.New("the node is not running")

// ErrBooting is the error of an invocation while a bootstrap runs again.
var ErrBooting = fmt.Errorf("%w: a bootstrap runs again", errNotRunning)

// copied returns a copy of a value, if frames would otherwise share its memory. Memory with a reference count is shared:
// who lends it writes to it again when there are no other references.
func copied(v tensor.Value) tensor.Value {
	if t, ok := v.(*tensor.Tensor); ok && t.DType != tensor.String && tensor.AreLarge(len(t.Bytes())) && !t.IsLent() {
		return t.Clone()
	}
	return v
}

// Begin begins an execution of a module, which has a number in the partition, with values for its inputs in their order. A
// loop begins each of its rounds so, from the round before; a frame of another module begins the first round, and with it the
// loop. Large values are handed over: the old and the new frame may share their memory, as neither changes it. While the Node
// is stopping no execution begins, and the result is zero.
func (e *Engine) Begin(f *Frame, module int, inputs ...tensor.Value) (wire.ExecID, error) {
	n := e.node()
	module += f.module.base
	began, err := n.invoke(module, inputs)
	if began == nil {
		return wire.ExecID{}, err
	}
	if m := &n.modules[module]; f.module != m {
		n.queueForHost(Event{Kind: Published, Module: m.Name, Name: LoopBegun})
	}
	return began.exec, nil
}

// invoke begins an execution; none, and no error, if the Node is stopping.
func (n *Node) invoke(module int, inputs []tensor.Value) (*Frame, error) {
	m := &n.modules[module]
	if n.phase >= phaseStopping {
		return nil, nil
	}
	if len(inputs) != len(m.Inputs) {
		return nil, fmt.Errorf("invoke %s: got %d inputs, want %d", m.Name, len(inputs), len(m.Inputs))
	}
	f := n.open(m, new(n.begun.Next()), nil)
	if f == nil {
		return nil, fmt.Errorf("invoke %s: there are %d executions already: %w", m.Name, n.ledger.Used(ledger.Frames), ErrOverflow)
	}
	for i, v := range inputs {
		if err := f.body.Input(m.Inputs[i], v); err != nil {
			n.removeLive(f)
			n.drop(f)
			return nil, fmt.Errorf("invoke %s: %w", m.Name, err)
		}
	}
	n.begin(f)
	for _, c := range m.Inputs {
		n.arrive(f, c)
	}
	return f, nil
}

// veryLarge is the size in bytes from which on a dropped value justifies a garbage collection.
const veryLarge = 16 << 20

// CountDropped counts the bytes of a value that a block has dropped, for [Node.Dropped].
func (e *Engine) CountDropped(size int) {
	if size >= veryLarge {
		e.dropped += uint64(size)
	}
}

// Dropped returns how many bytes of very large values were dropped before their frames ended. A host may want
// to run the garbage collector before others are allocated.
func (n *Node) Dropped() uint64 { return n.dropped }

// Launch begins the modules that run from the start, if [Config.Hold] delayed them. The Node must be running.
func (n *Node) Launch(now int64) {
	n.advance(now)
	n.launch()
}
