package runtime

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/internal/results"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// EventKind is the kind of an [Event].
type EventKind uint8

// The kinds of events. Each comment lists the fields that are set beside Kind and At.
const (
	Emitted     EventKind = iota // a module gave a value to the host: Module, Name, Exec, Value
	Finished                     // an execution's frame ended: Module, Exec, Peer; Err if a block failed
	Failed                       // a block failed or cannot run: Module, Name, Exec, Peer, Err
	Missing                      // a peer's fill was not received in time: Module, Name, Exec, Peer, Since
	Late                         // a fill came after its execution's end: Exec, Peer, Edge
	Refused                      // a fill or envelope was refused: Peer, Edge, Exec, Err
	PeerUp                       // a peer is connected or responds again: Peer
	PeerSuspect                  // a peer has been silent for unusually long: Peer, Since
	PeerDown                     // a peer is considered dead: Peer, Since, Err
	Overflow                     // a queue or table was full: Name; N is how often so far
	Phase                        // the node's phase changed: Name
	Published                    // a module or a component published to a topic: Module, Name, Exec; Value if there is one
	Short                        // a round has no quorum: Module, Name, Exec, Err, a *ShortError
	numKinds
)

var kindNames = [numKinds]string{"emitted", "finished", "failed", "missing", "late", "refused", "peer up", "peer suspect",
	"peer down", "overflow", "phase", "published", "short"}

// String returns the kind in the words of logs and of a host's events, such as "peer down".
func (k EventKind) String() string {
	if k < numKinds {
		return kindNames[k]
	}
	return fmt.Sprintf("EventKind(%d)", k)
}

// An Event reports something that happened. It is reported once.
type Event struct {
	Kind   EventKind
	At     int64
	Module string
	Name   string
	Exec   wire.ExecID
	Peer   wire.PeerID
	Edge   wire.EdgeID
	Since  int64
	N      uint64
	Err    error
	Value  tensor.Value
}

// Topics of round loops. The engine publishes LoopBegun itself, for the host only. The block that begins no
// further round publishes LoopDone.
const (
	LoopBegun = "begun"
	LoopDone  = "done"
)

// Results are the events that report the outcome of executions; the other events report what the node observes
// of its peers. With [Config.Durable] a result waits, like an envelope, for the snapshot that holds its cause,
// and snapshots hold the results that the host has not taken. So the host gets each result at least once, and
// no contradicting result after a restart.

// reports holds the events that the host has not taken, and those for the modules that wait for them.
type reports struct {
	self    wire.PeerID
	durable bool // see [Config.Durable]
	limit   int  // see [Limits.Events]

	events  container.Fifo[Event] // for the host
	results results.Queue[Event]  // for the host, when their snapshot is durable
	told    Event                 // returned to the host last
	lost    uint64                // how many were dropped

	listens     uint32  // the kinds of events that open executions
	bus, routed []Event // for modules: the next ones, and memory for those after them
}

// isResult reports whether events of a kind report the outcome of an execution; the other kinds report what the
// node observes of its peers.
func (k EventKind) isResult() bool {
	switch k {
	case Emitted, Finished, Failed, Missing, Published, Short:
		return true
	}
	return false
}

// toHost queues an event for the host. A result waits for the snapshot of an epoch.
func (r *reports) toHost(e Event, epoch uint64) {
	if r.durable && e.Kind.isResult() {
		if r.results.Keep(e, e.Exec.Origin == r.self, epoch, r.limit) {
			r.lost++
		}
		return
	}
	if r.events.Len() >= r.limit {
		r.lost++
		if r.durable && r.events.At(0).Kind.isResult() {
			return // the event was a result that waited for its snapshot
		}
		r.events.Pop()
	}
	r.events.Push(e)
}

// toModules queues an event for the modules that wait for its kind.
func (r *reports) toModules(e Event) {
	if r.listens&(1<<e.Kind) == 0 {
		return
	}
	if len(r.bus) < r.limit {
		r.bus = append(r.bus, e)
	} else {
		r.lost++
	}
}

// release queues the results of durable epochs for the host. It reports whether others wait.
func (r *reports) release(isDurable func(epoch uint64) bool) bool {
	for e, ok := r.results.Next(isDurable); ok; e, ok = r.results.Next(isDurable) {
		r.events.Push(e)
	}
	return r.results.Len() > 0
}

// next removes and returns the next event for the host, which is valid until the next call, or nil.
func (r *reports) next() *Event {
	if r.events.Len() == 0 {
		return nil
	}
	r.told = r.events.Pop()
	return &r.told
}

// batch returns the events for modules. Later ones are for the next batch. The caller clears it.
func (r *reports) batch() []Event {
	batch := r.bus
	r.bus, r.routed = r.routed[:0], batch
	return batch
}

// untaken returns the results that the host has not taken, in order, if they must survive a restart.
func (r *reports) untaken() (list []*Event) {
	for i := range r.events.Len() {
		if e := r.events.At(i); r.durable && e.Kind.isResult() {
			list = append(list, e)
		}
	}
	for i := range r.results.Len() {
		list = append(list, r.results.At(i))
	}
	return list
}
