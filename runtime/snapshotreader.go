package runtime

import (
	"encoding/binary"
	"fmt"

	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// snapshotReader reads a snapshot. After the first error all results are zero.
type snapshotReader struct {
	b      []byte
	n      *Node
	roster []*peer // in the order of the snapshot
	frames []*Frame
	err    error
}

func (r *snapshotReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", ErrSnapshot, fmt.Sprintf(format, args...))
	}
	r.b = nil
}

func (r *snapshotReader) uint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail("it ends early")
		return 0
	}
	r.b = r.b[n:]
	return v
}

// below reads a number that must be less than limit.
func (r *snapshotReader) below(what string, limit int) int {
	v := r.uint()
	if r.err == nil && v >= uint64(limit) {
		r.fail("%s %d, want less than %d", what, v, limit)
	}
	if r.err != nil {
		return 0
	}
	return int(v)
}

// count reads the number of the following items, of at least one byte each.
func (r *snapshotReader) count() int { return r.below("count", len(r.b)+1) }

func (r *snapshotReader) bool() bool { return r.below("truth", 2) == 1 }

func (r *snapshotReader) bytes() []byte {
	k := r.count()
	if k > len(r.b) {
		r.fail("it ends early")
		return nil
	}
	p := r.b[:k]
	r.b = r.b[k:]
	return p
}

// blob reads a value that may be in a separate file.
func (r *snapshotReader) blob() wire.Blob {
	f := values.NewFields(r.b)
	x, err := r.n.spool.Read(f)
	if r.b = f.Rest(); err != nil {
		r.fail("%v", err)
		return wire.Bytes(nil)
	}
	return x
}

// object reads an object with its own UnmarshalBinary.
func (r *snapshotReader) object(x interface{ UnmarshalBinary([]byte) error }, what string, args ...any) {
	blob := r.blob()
	defer blob.Release()
	if r.err != nil {
		return
	}
	b := blob.Bytes()
	if b == nil {
		b = make([]byte, blob.Size())
		if err := values.ReadBlob(b, blob); err != nil {
			r.fail("%s: %v", fmt.Sprintf(what, args...), err)
			return
		}
	}
	if err := x.UnmarshalBinary(b); err != nil {
		r.fail("%s: %v", fmt.Sprintf(what, args...), err)
	}
}

func (r *snapshotReader) peerID() wire.PeerID {
	const size = 32
	if len(r.b) < size {
		r.fail("it ends early")
		return wire.PeerID{}
	}
	id, _ := wire.PeerIDOf(r.b[:size])
	r.b = r.b[size:]
	return id
}

// peer reads the name of a peer; an empty name is nil.
func (r *snapshotReader) peer() *peer {
	id := r.peerID()
	if id.IsZero() {
		return nil
	}
	p := r.n.peer(id)
	if p == nil {
		r.fail("peer %v is not in its list", id)
	}
	return p
}

func (r *snapshotReader) exec() wire.ExecID {
	return wire.ExecID{Origin: r.peerID(), Incarnation: r.uint(), Number: r.uint()}
}
