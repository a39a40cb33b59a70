package runtime

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// A Window remembers the senders and tags of the latest [Limits.Window] values. It does not compare payloads:
// two peers may send the same payload.
type Window struct {
	Name string
	seen container.Table[tagged, struct{}]
	fifo container.Fifo[tagged] // in the order of their arrival
}

type tagged struct {
	sender wire.PeerID
	tag    uint64
}

// ErrSeen is returned by a [Window] for a duplicate.
var ErrSeen = errors.New("the value came before")

func (w *Window) name() string { return w.Name }

// Admit returns ErrSeen if the sender has sent a value with that tag before.
func (w *Window) Admit(n *Node, sender wire.PeerID, tag uint64) error {
	k := tagged{sender, tag}
	if w.has(k) {
		return fmt.Errorf("%w: %d of %v", ErrSeen, tag, sender)
	}
	if w.fifo.Len() >= n.limits.Window {
		old := w.fifo.Pop()
		w.seen.Remove(old.hash(), old)
	}
	w.add(k)
	return nil
}

func (w *Window) add(k tagged) {
	w.seen.Put(k.hash(), k, struct{}{})
	w.fifo.Push(k)
}

func (w *Window) has(k tagged) bool {
	_, ok := w.seen.Get(k.hash(), k)
	return ok
}

// AppendBinary appends the state.
func (w *Window) AppendBinary(b []byte) ([]byte, error) {
	b = binary.AppendUvarint(b, uint64(w.fifo.Len()))
	for i := range w.fifo.Len() {
		k := w.fifo.At(i)
		b = binary.AppendUvarint(values.AppendPeer(b, k.sender), k.tag)
	}
	return b, nil
}

// UnmarshalBinary sets the state.
func (w *Window) UnmarshalBinary(b []byte) error {
	*w = Window{Name: w.Name}
	r := values.NewFields(b)
	for range r.Count(values.PeerSize + 1) {
		var k tagged
		r.Peer(&k.sender)
		k.tag = r.Uint()
		if r.Err() != nil {
			break
		}
		if w.has(k) {
			return fmt.Errorf("window %s: %d of %v stands twice in it", w.Name, k.tag, k.sender)
		}
		w.add(k)
	}
	return r.End()
}

func (k *tagged) hash() uint64 { return container.Hash(container.HashPeer(k.sender), k.tag) }
