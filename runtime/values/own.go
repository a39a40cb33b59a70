package values

import (
	"encoding"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Own is a value of a Go type of the author's own in a frame. The zero value has none.
type Own[T any] struct {
	X     T
	there bool
}

// OwnType is a pointer to such a type. It has the method AppendBinary or MarshalBinary, too.
type OwnType[T any] interface {
	*T
	encoding.BinaryUnmarshaler
}

// Set makes x the value v.
func (x *Own[T]) Set(v T) { x.X, x.there = v, true }

// Reset forgets the value.
func (x *Own[T]) Reset() { *x = Own[T]{} }

// AppendOwn appends a value as its author writes it. One of more than so many bytes is an
// error.
func AppendOwn[T any, P OwnType[T]](b []byte, x P, most int) ([]byte, error) {
	out, err := appendBinary(b, x)
	if err != nil {
		return b, fmt.Errorf("a %T: %w", *x, err)
	}
	if n := len(out) - len(b); n > most {
		return b, fmt.Errorf("a %T of %d bytes, want at most %d", *x, n, most)
	}
	return out, nil
}

func appendBinary(b []byte, x any) (out []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it cannot be written: %v", r)
		}
	}()
	if x, ok := x.(encoding.BinaryAppender); ok {
		return x.AppendBinary(b)
	}
	own, err := x.(encoding.BinaryMarshaler).MarshalBinary()
	return append(b, own...), err
}

// TakeOwn makes x the value that a fill brings. What its author's method refuses, or
// panics at, is an error: the bytes are another peer's.
func TakeOwn[T any, P OwnType[T]](x *Own[T], fill *wire.SlotFill) error {
	b, err := Payload(fill)
	if err != nil {
		return err
	}
	return readOwn[T, P](x, b)
}

// SetOwn makes x a value of the host, which gives the bytes that are written of it.
func SetOwn[T any, P OwnType[T]](x *Own[T], v tensor.Value, most int) error {
	t, ok := v.(*tensor.Tensor)
	switch {
	case !ok || t.DType != tensor.Uint8:
		return fmt.Errorf("got %s, want the bytes of a %T as a tensor of uint8", describe(v), x.X)
	case t.Len() > most:
		return fmt.Errorf("a %T of %d bytes, want at most %d", x.X, t.Len(), most)
	}
	return readOwn[T, P](x, t.Bytes())
}

// OwnTensor is a value as the host gets it: the bytes that are written of it.
func OwnTensor[T any, P OwnType[T]](x P, most int) (tensor.Value, error) {
	b, err := AppendOwn[T](nil, x, most)
	return tensor.Of(b, len(b)), err
}

func readOwn[T any, P OwnType[T]](x *Own[T], b []byte) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("a %T of %d bytes: UnmarshalBinary panics: %v", x.X, len(b), r)
		}
	}()
	var v T
	if err := P(&v).UnmarshalBinary(b); err != nil {
		return fmt.Errorf("a %T of %d bytes: %w", v, len(b), err)
	}
	x.Set(v)
	return nil
}

// KeepOwn appends a value as snapshots have it: behind one more than its length. One that
// is not there is a 0.
func KeepOwn[T any, P OwnType[T]](b []byte, x *Own[T]) ([]byte, error) {
	if !x.there {
		return append(b, 0), nil
	}
	return EncodeOwn[T, P](b, &x.X, math.MaxInt)
}

// EncodeOwn is [KeepOwn] of a value that is there.
func EncodeOwn[T any, P OwnType[T]](b []byte, x P, most int) ([]byte, error) {
	own, err := AppendOwn[T](nil, x, most)
	if err != nil {
		return b, err
	}
	return append(binary.AppendUvarint(b, uint64(len(own)+1)), own...), nil
}

// ReadOwn reads what [KeepOwn] has written.
func ReadOwn[T any, P OwnType[T]](r *Fields, x *Own[T]) {
	x.Reset()
	n := r.Uint()
	if n == 0 || r.err != nil {
		return
	}
	if n-1 > uint64(len(r.b)) {
		r.fail(ErrEnd)
		return
	}
	if err := readOwn[T, P](x, r.Bytes(int(n-1))); err != nil {
		r.fail(err)
	}
}
