package runtime

import (
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Results are the events that report the outcome of executions; the other events report what the node observes
// of its peers. With [Config.Durable] a result waits, like an envelope, for the snapshot that holds its cause,
// and snapshots hold the results that the host has not taken. So the host gets each result at least once, and
// no contradicting result after a restart.

// isResult reports whether events of a kind report the outcome of an execution; the other kinds report what the
// node observes of its peers.
func (k EventKind) isResult() bool {
	switch k {
	case Emitted, Finished, Failed, Missing, Published, Short:
		return true
	}
	return false
}

// keepResult makes a result wait for its snapshot.
func (n *Node) keepResult(e Event) {
	if n.results.Keep(e, e.Exec.Origin == n.self.id, n.checkpoint.Epoch(), n.limits.Events) {
		n.stats.EventsLost++
	}
}

// reportResults reports to the host the results with a durable snapshot.
func (n *Node) reportResults() {
	for e, ok := n.results.Next(n.checkpoint.IsDurable); ok; e, ok = n.results.Next(n.checkpoint.IsDurable) {
		n.events.Push(e)
	}
	if n.results.Len() > 0 {
		n.checkpoint.Await()
	}
}

// UnreportedResults returns how many results wait for a snapshot before they are reported to the host.
func (n *Node) UnreportedResults() int { return n.results.Len() }

// results writes the results that the host has not taken, in order.
func (w *snapshotWriter) results() {
	n := w.n
	var list []*Event
	for i := range n.events.Len() {
		if e := n.events.At(i); n.config.Durable && e.Kind.isResult() {
			list = append(list, e)
		}
	}
	for i := range n.results.Len() {
		list = append(list, n.results.At(i))
	}
	w.Int(len(list))
	for _, e := range list {
		w.result(e)
	}
}

func (w *snapshotWriter) result(e *Event) {
	w.Uint(uint64(e.Kind), uint64(w.n.now-e.At), uint64(w.n.now-e.Since))
	w.String(e.Module)
	w.String(e.Name)
	w.Exec(e.Exec)
	w.Peer(e.Peer)
	if w.Bool(e.Err != nil); e.Err != nil {
		w.String(e.Err.Error())
	}
	if w.Bool(e.Value != nil); e.Value != nil {
		t, ok := e.Value.(*tensor.Tensor)
		if !ok {
			panic(fmt.Sprintf("BUG: a module emits %T, want a tensor", e.Value))
		}
		w.Tensor(t)
	}
}

// results reads the results that are not yet reported to the host.
func (r *snapshotReader) results() {
	for range r.Count() {
		e := r.result()
		if r.Err() != nil {
			return
		}
		r.n.events.Push(e)
	}
}

func (r *snapshotReader) result() Event {
	e := Event{Kind: EventKind(r.Below("event", int(numKinds))), At: -r.Age(), Since: -r.Age()}
	e.Module, e.Name = string(r.Bytes()), string(r.Bytes())
	e.Exec, e.Peer = r.Exec(), r.PeerID()
	if r.Bool() {
		e.Err = errors.New(string(r.Bytes()))
	}
	if r.Bool() {
		e.Value = r.Tensor()
	}
	return e
}
