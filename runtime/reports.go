package runtime

import (
	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/internal/results"
	"github.com/bbgen/bbgen/runtime/wire"
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
