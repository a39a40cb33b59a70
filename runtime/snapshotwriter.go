package runtime

import (
	"encoding/binary"
	"fmt"

	"github.com/bbgen/bbgen/runtime/internal/outbox"
	"github.com/bbgen/bbgen/runtime/wire"
)

// snapshotWriter writes a snapshot. Frames and payloads are numbered in the
// order in which they are written.
type snapshotWriter struct {
	b        []byte
	n        *Node
	frames   map[*Frame]int
	payloads map[*outbox.Payload]int
	scratch  []byte
	err      error
}

func (w *snapshotWriter) uint(vs ...uint64) {
	for _, v := range vs {
		w.b = binary.AppendUvarint(w.b, v)
	}
}

func (w *snapshotWriter) int(v int) { w.uint(uint64(v)) }

func (w *snapshotWriter) bool(v bool) {
	if v {
		w.uint(1)
	} else {
		w.uint(0)
	}
}

func (w *snapshotWriter) bytes(p []byte) {
	w.int(len(p))
	w.b = append(w.b, p...)
}

func (w *snapshotWriter) string(s string) { w.bytes([]byte(s)) }

func (w *snapshotWriter) peer(p wire.PeerID) {
	k := p.Key()
	w.b = append(w.b, k[:]...)
}

func (w *snapshotWriter) exec(x wire.ExecID) {
	w.peer(x.Origin)
	w.uint(x.Incarnation, x.Number)
}

// object writes an object with its own AppendBinary.
func (w *snapshotWriter) object(what string, i int, x interface {
	AppendBinary([]byte) ([]byte, error)
}) {
	p, err := x.AppendBinary(w.scratch[:0])
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("snapshot: %s %d: %w", what, i, err)
	}
	w.scratch = p
	w.b = w.n.spool.Append(w.b, p, nil)
}
