package wire

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// ErrMalformed is what every error about bytes that are no message wraps.
var ErrMalformed = errors.New("malformed message")

func malformed(what, format string, args ...any) error {
	return fmt.Errorf("wire: %s: %w: %s", what, ErrMalformed, fmt.Sprintf(format, args...))
}

// parseError says what a negative size from protowire means. Protowire's own
// errors are worded differently from run to run, and runs are compared.
func parseError(n int) error {
	if n == -1 {
		return errEndsEarly
	}
	return errUnreadable
}

var (
	errEndsEarly  = errors.New("it ends early")
	errUnreadable = errors.New("a field cannot be read")
)

// A tag is a field number with its encoding, as it stands in the bytes. A known
// number in a foreign encoding is an unknown tag, and skipped as protobuf does.
type tag uint64

const (
	varintType  = tag(protowire.VarintType)
	bytesType   = tag(protowire.BytesType)
	fixed32Type = tag(protowire.Fixed32Type)
)

// fields reads a message field by field.
type fields struct {
	b  []byte
	at int // what is read

	// The field that was read last: its tag, and its number or its bytes, which
	// alias b.
	tag tag
	v   uint64
	p   []byte
}

func (f *fields) more() bool { return f.at < len(f.b) }

// next reads one field.
func (f *fields) next() error {
	x, err := f.varint()
	if err != nil {
		return err
	}
	f.tag = tag(x)
	if x>>3 < uint64(protowire.MinValidNumber) || x>>3 > uint64(protowire.MaxValidNumber) {
		num, _ := protowire.DecodeTag(x)
		if num < protowire.MinValidNumber {
			return fmt.Errorf("field number %d", num)
		}
	}
	switch protowire.Type(x & 7) {
	case protowire.VarintType:
		f.v, err = f.varint()
	case protowire.BytesType:
		f.v, err = f.varint()
		if err == nil && f.v > uint64(len(f.b)-f.at) {
			err = errEndsEarly
		}
		if err == nil {
			f.p = f.b[f.at : f.at+int(f.v)]
			f.at += int(f.v)
		}
	default:
		err = f.other(x)
	}
	return err
}

// other reads a field that is neither a number nor bytes.
func (f *fields) other(x uint64) error {
	num, typ := protowire.DecodeTag(x)
	n := protowire.ConsumeFieldValue(num, typ, f.b[f.at:])
	if n < 0 {
		return parseError(n)
	}
	if typ == protowire.Fixed32Type {
		v, _ := protowire.ConsumeFixed32(f.b[f.at:])
		f.v = uint64(v)
	}
	f.at += n
	return nil
}

// varint reads a number. Most are small.
func (f *fields) varint() (uint64, error) {
	b := f.b[f.at:]
	switch {
	case len(b) > 0 && b[0] < 0x80:
		f.at++
		return uint64(b[0]), nil
	case len(b) > 1 && b[1] < 0x80:
		f.at += 2
		return uint64(b[0]&0x7f) | uint64(b[1])<<7, nil
	}
	return f.longVarint()
}

func (f *fields) longVarint() (uint64, error) {
	v, n := protowire.ConsumeVarint(f.b[f.at:])
	if n < 0 {
		return 0, parseError(n)
	}
	f.at += n
	return v, nil
}

// next reads one field from the front of b.
func next(b []byte) (t tag, v uint64, p, rest []byte, err error) {
	f := fields{b: b}
	err = f.next()
	return f.tag, f.v, f.p, b[f.at:], err
}

func appendVarint(b []byte, t tag, v uint64) []byte {
	if v == 0 {
		return b
	}
	return protowire.AppendVarint(protowire.AppendVarint(b, uint64(t)), v)
}

func appendBytes[T ~string | ~[]byte](b []byte, t tag, p T) []byte {
	if len(p) == 0 {
		return b
	}
	return append(appendHead(b, t, len(p)), p...)
}

// appendHead writes a tag and the size of what the caller writes next, even if
// it is none.
func appendHead(b []byte, t tag, size int) []byte {
	return protowire.AppendVarint(protowire.AppendVarint(b, uint64(t)), uint64(size))
}

func appendFixed32(b []byte, t tag, v uint32) []byte {
	if v == 0 {
		return b
	}
	return protowire.AppendFixed32(protowire.AppendVarint(b, uint64(t)), v)
}

func sizeVarint(t tag, v uint64) int {
	if v == 0 {
		return 0
	}
	return protowire.SizeVarint(uint64(t)) + protowire.SizeVarint(v)
}

func sizeBytes(t tag, n int) int {
	if n == 0 {
		return 0
	}
	return sizeHeaded(t, n)
}

// sizeHeaded is how many bytes n bytes take with their head.
func sizeHeaded(t tag, n int) int { return protowire.SizeVarint(uint64(t)) + protowire.SizeBytes(n) }

func sizeFixed32(t tag, v uint32) int {
	if v == 0 {
		return 0
	}
	return protowire.SizeVarint(uint64(t)) + protowire.SizeFixed32()
}

// AppendLength writes what stands before each message on a stream.
func AppendLength(b []byte, size int) []byte { return protowire.AppendVarint(b, uint64(size)) }

// ConsumeLength reads the length of the message that begins a stream's bytes:
// how many bytes the length itself takes and how many follow. It takes 0 bytes
// when more must arrive before the length is known.
func ConsumeLength(b []byte, limit int) (n, size int, err error) {
	v, n := protowire.ConsumeVarint(b)
	switch {
	case n < 0 && len(b) < 10:
		return 0, 0, nil
	case n < 0:
		return 0, 0, malformed("length", "%v", parseError(n))
	case v > uint64(max(limit, 0)):
		return 0, 0, &LimitError{"length of a message", v, uint64(max(limit, 0))}
	}
	return n, int(v), nil
}
