package runtime

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
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
	w.int(len(list))
	for _, e := range list {
		w.result(e)
	}
}

func (w *snapshotWriter) result(e *Event) {
	w.uint(uint64(e.Kind), uint64(w.n.now-e.At), uint64(w.n.now-e.Since))
	w.string(e.Module)
	w.string(e.Name)
	w.exec(e.Exec)
	w.peer(e.Peer)
	if w.bool(e.Err != nil); e.Err != nil {
		w.string(e.Err.Error())
	}
	if w.bool(e.Value != nil); e.Value != nil {
		w.tensor(e.Value)
	}
}

// tensor writes the value of an Emitted event.
func (w *snapshotWriter) tensor(v tensor.Value) {
	t, ok := v.(*tensor.Tensor)
	if !ok {
		panic(fmt.Sprintf("BUG: a module emits %T, want a tensor", v))
	}
	w.uint(uint64(t.DType))
	w.b = values.AppendShape(w.b, t.Shape)
	if t.DType == tensor.String {
		for _, s := range tensor.Data[string](t) {
			w.string(s)
		}
		return
	}
	b := t.Bytes()
	if tensor.BigEndian {
		b = slices.Clone(b)
		tensor.FixOrder(b, t.DType)
	}
	w.b = w.n.spool.Append(w.b, b, nil)
}

// results reads the results that are not yet reported to the host.
func (r *snapshotReader) results() {
	for range r.count() {
		e := r.result()
		if r.err != nil {
			return
		}
		r.n.events.Push(e)
	}
}

func (r *snapshotReader) result() Event {
	e := Event{Kind: EventKind(r.below("event", int(numKinds))), At: -r.age(), Since: -r.age()}
	e.Module, e.Name = string(r.bytes()), string(r.bytes())
	e.Exec, e.Peer = r.exec(), r.peerID()
	if r.bool() {
		e.Err = errors.New(string(r.bytes()))
	}
	if r.bool() {
		e.Value = r.tensor()
	}
	return e
}

// age reads how long ago an event was.
func (r *snapshotReader) age() int64 { return int64(min(r.uint(), 1<<62)) }

func (r *snapshotReader) tensor() tensor.Value {
	d := tensor.DType(r.below("element type", 1<<8))
	f := values.NewFields(r.b)
	var dims [tensor.MaxRank]int
	shape, ok := f.Shape(&dims)
	count, err := tensor.NumElements(shape)
	switch r.b = f.Rest(); {
	case !ok || err != nil || !d.Valid():
		r.fail("a value of type %v and shape %v", d, shape)
		return nil
	case d == tensor.String:
		if count > len(r.b) {
			r.fail("a value of %d strings in %d bytes", count, len(r.b))
			return nil
		}
		list := make([]string, count)
		for i := range list {
			list[i] = string(r.bytes())
		}
		return tensor.Of(list, shape...)
	}
	return r.elements(d, shape, count)
}

// elements reads the bytes of a tensor of any element type except strings.
func (r *snapshotReader) elements(d tensor.DType, shape []int, count int) tensor.Value {
	x := r.blob()
	defer x.Release()
	if size := uint64(count) * uint64(d.Size()); r.err != nil || x.Size() != size {
		r.fail("a value of %d bytes, want %d", x.Size(), size)
		return nil
	}
	t := tensor.New(d, shape...)
	if err := values.ReadBlob(t.Bytes(), x); err != nil {
		r.fail("%v", err)
		return nil
	}
	if d == tensor.Bool { // any nonzero byte is true
		for i, b := range t.Bytes() {
			t.Bytes()[i] = min(b, 1)
		}
	}
	tensor.FixOrder(t.Bytes(), d)
	return t
}
