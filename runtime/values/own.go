package values

import (
	"encoding"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Own is a value of a Go type of the program's author in a frame. The zero value is unset.
type Own[T any] struct {
	X     T
	there bool
}

// OwnType is a pointer to such a type. It must also have the method AppendBinary or MarshalBinary.
type OwnType[T any] interface {
	*T
	encoding.BinaryUnmarshaler
}

// Set sets x to v.
func (x *Own[T]) Set(v T) { x.X, x.there = v, true }

// Reset unsets the value.
func (x *Own[T]) Reset() { *x = Own[T]{} }

// AppendOwn appends a value in the encoding of its author. A value of more than most bytes is an error.
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

// TakeOwn sets x to the value of a fill. It returns an error if the author's method fails or panics, as the
// bytes come from another peer.
func TakeOwn[T any, P OwnType[T]](x *Own[T], fill *wire.SlotFill) error {
	b, err := Payload(fill)
	if err != nil {
		return err
	}
	return readOwn[T, P](x, b)
}

// SetOwn sets x to a value from the host, which gives its encoding.
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

// OwnTensor returns a value for the host: its encoding as a tensor.
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

// KeepOwn appends a value in the form of snapshots: one more than its length, and its encoding. An unset value
// is a 0.
func KeepOwn[T any, P OwnType[T]](b []byte, x *Own[T]) ([]byte, error) {
	if !x.there {
		return append(b, 0), nil
	}
	return EncodeOwn[T, P](b, &x.X, math.MaxInt)
}

// EncodeOwn is [KeepOwn] for a value that is set.
func EncodeOwn[T any, P OwnType[T]](b []byte, x P, most int) ([]byte, error) {
	own, err := AppendOwn[T](nil, x, most)
	if err != nil {
		return b, err
	}
	return append(binary.AppendUvarint(b, uint64(len(own)+1)), own...), nil
}

// ReadOwn reads the output of [KeepOwn].
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
