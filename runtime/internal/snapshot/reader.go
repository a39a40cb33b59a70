package snapshot

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// ErrUnusable is wrapped by the errors of a [Reader].
var ErrUnusable = errors.New("not a usable snapshot")

// A Reader reads what a [Writer] has written. After the first error all results are zero.
type Reader struct {
	b     []byte
	err   error
	spool *values.Keeper
}

// NewReader returns a Reader of b, which reads large values from the spool.
func NewReader(b []byte, spool *values.Keeper) Reader { return Reader{b: b, spool: spool} }

// Err returns the first error.
func (r *Reader) Err() error { return r.err }

// Left returns how many bytes have not been read.
func (r *Reader) Left() int { return len(r.b) }

// Fail records that the snapshot is not usable, unless an error came before.
func (r *Reader) Fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", ErrUnusable, fmt.Sprintf(format, args...))
	}
	r.b = nil
}

// Uint reads a number.
func (r *Reader) Uint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.Fail("it ends early")
		return 0
	}
	r.b = r.b[n:]
	return v
}

// Below reads a number that must be less than limit.
func (r *Reader) Below(what string, limit int) int {
	v := r.Uint()
	if r.err == nil && v >= uint64(limit) {
		r.Fail("%s %d, want less than %d", what, v, limit)
	}
	if r.err != nil {
		return 0
	}
	return int(v)
}

// Count reads the number of the following items, of at least one byte each.
func (r *Reader) Count() int { return r.Below("count", len(r.b)+1) }

// Bool reads whether something is the case.
func (r *Reader) Bool() bool { return r.Below("truth", 2) == 1 }

// Age reads how many ns ago something was.
func (r *Reader) Age() int64 { return int64(min(r.Uint(), 1<<62)) }

// Bytes reads bytes, which belong to the snapshot.
func (r *Reader) Bytes() []byte {
	k := r.Count()
	if k > len(r.b) {
		r.Fail("it ends early")
		return nil
	}
	p := r.b[:k]
	r.b = r.b[k:]
	return p
}

// Payload reads a value that may be in a separate file.
func (r *Reader) Payload() wire.Blob {
	f := values.NewFields(r.b)
	x, err := r.spool.Read(f)
	if r.b = f.Rest(); err != nil {
		r.Fail("%v", err)
		return wire.Bytes(nil)
	}
	return x
}

// Object reads an object with its own UnmarshalBinary.
func (r *Reader) Object(x interface{ UnmarshalBinary([]byte) error }, what string, args ...any) {
	blob := r.Payload()
	defer blob.Release()
	if r.err != nil {
		return
	}
	b := blob.Bytes()
	if b == nil {
		b = make([]byte, blob.Size())
		if err := values.ReadBlob(b, blob); err != nil {
			r.Fail("%s: %v", fmt.Sprintf(what, args...), err)
			return
		}
	}
	if err := x.UnmarshalBinary(b); err != nil {
		r.Fail("%s: %v", fmt.Sprintf(what, args...), err)
	}
}

// PeerID reads the key of a peer, which may be zero.
func (r *Reader) PeerID() wire.PeerID {
	const size = 32
	if len(r.b) < size {
		r.Fail("it ends early")
		return wire.PeerID{}
	}
	id, _ := wire.PeerIDOf(r.b[:size])
	r.b = r.b[size:]
	return id
}

// Exec reads the name of an execution.
func (r *Reader) Exec() wire.ExecID {
	return wire.ExecID{Origin: r.PeerID(), Incarnation: r.Uint(), Number: r.Uint()}
}

// Tensor reads a tensor, or returns nil.
func (r *Reader) Tensor() tensor.Value {
	d := tensor.DType(r.Below("element type", 1<<8))
	f := values.NewFields(r.b)
	var dims [tensor.MaxRank]int
	shape, ok := f.Shape(&dims)
	count, err := tensor.NumElements(shape)
	switch r.b = f.Rest(); {
	case !ok || err != nil || !d.Valid():
		r.Fail("a value of type %v and shape %v", d, shape)
		return nil
	case d == tensor.String:
		if count > len(r.b) {
			r.Fail("a value of %d strings in %d bytes", count, len(r.b))
			return nil
		}
		list := make([]string, count)
		for i := range list {
			list[i] = string(r.Bytes())
		}
		return tensor.Of(list, shape...)
	}
	return r.elements(d, shape, count)
}

// elements reads the bytes of a tensor of any element type except strings.
func (r *Reader) elements(d tensor.DType, shape []int, count int) tensor.Value {
	x := r.Payload()
	defer x.Release()
	if size := uint64(count) * uint64(d.Size()); r.err != nil || x.Size() != size {
		r.Fail("a value of %d bytes, want %d", x.Size(), size)
		return nil
	}
	t := tensor.New(d, shape...)
	if err := values.ReadBlob(t.Bytes(), x); err != nil {
		r.Fail("%v", err)
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
