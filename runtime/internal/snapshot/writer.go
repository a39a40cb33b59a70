package snapshot

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// A Writer appends parts of a snapshot.
type Writer struct {
	B   []byte
	Err error // the first one

	spool   *values.Keeper
	scratch []byte
}

// NewWriter returns a Writer that appends to b, and keeps large values in the spool.
func NewWriter(b []byte, spool *values.Keeper) Writer { return Writer{B: b, spool: spool} }

// Uint writes numbers.
func (w *Writer) Uint(vs ...uint64) {
	for _, v := range vs {
		w.B = binary.AppendUvarint(w.B, v)
	}
}

// Int writes a number that is not negative.
func (w *Writer) Int(v int) { w.Uint(uint64(v)) }

// Bool writes whether something is the case.
func (w *Writer) Bool(v bool) {
	if v {
		w.Uint(1)
	} else {
		w.Uint(0)
	}
}

// Bytes writes bytes and their number.
func (w *Writer) Bytes(p []byte) {
	w.Int(len(p))
	w.B = append(w.B, p...)
}

// String writes a text.
func (w *Writer) String(s string) { w.Bytes([]byte(s)) }

// Peer writes the key of a peer, which may be zero.
func (w *Writer) Peer(p wire.PeerID) {
	k := p.Key()
	w.B = append(w.B, k[:]...)
}

// Exec writes the name of an execution.
func (w *Writer) Exec(x wire.ExecID) {
	w.Peer(x.Origin)
	w.Uint(x.Incarnation, x.Number)
}

// Object writes an object with its own AppendBinary.
func (w *Writer) Object(what string, i int, x interface {
	AppendBinary([]byte) ([]byte, error)
}) {
	p, err := x.AppendBinary(w.scratch[:0])
	if err != nil && w.Err == nil {
		w.Err = fmt.Errorf("snapshot: %s %d: %w", what, i, err)
	}
	w.scratch = p
	w.B = w.spool.Append(w.B, p, nil)
}

// Payload writes a value that is in memory, in a file, or both: in the spool if it is large.
func (w *Writer) Payload(data []byte, blob wire.Blob) {
	if blob != nil && blob.Bytes() == nil {
		w.B = w.spool.AppendBlob(w.B, blob)
	} else {
		w.B = w.spool.Append(w.B, data, blob)
	}
}

// Tensor writes a tensor.
func (w *Writer) Tensor(t *tensor.Tensor) {
	w.Uint(uint64(t.DType))
	w.B = values.AppendShape(w.B, t.Shape)
	if t.DType == tensor.String {
		for _, s := range tensor.Data[string](t) {
			w.String(s)
		}
		return
	}
	b := t.Bytes()
	if tensor.BigEndian {
		b = slices.Clone(b)
		tensor.FixOrder(b, t.DType)
	}
	w.B = w.spool.Append(w.B, b, nil)
}
