package runtime

import (
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// reportResults reports to the host the results with a durable snapshot.
func (n *Node) reportResults() {
	if n.reports.release(n.checkpoint.IsDurable) {
		n.checkpoint.Await()
	}
}

// UnreportedResults returns how many results wait for a snapshot before they are reported to the host.
func (n *Node) UnreportedResults() int { return n.reports.results.Len() }

// results writes the results that the host has not taken, in order.
func (w *snapshotWriter) results() {
	list := w.n.reports.untaken()
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
		r.n.reports.events.Push(e)
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
