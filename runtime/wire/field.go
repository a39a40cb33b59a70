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
		return errors.New("it ends early")
	}
	return errors.New("a field cannot be read")
}

// A tag is a field number with its encoding, as it stands in the bytes. A known
// number in a foreign encoding is an unknown tag, and skipped as protobuf does.
type tag uint64

const (
	varintType  = tag(protowire.VarintType)
	bytesType   = tag(protowire.BytesType)
	fixed32Type = tag(protowire.Fixed32Type)
)

// next reads one field from the front of b: its number's value in v, or its
// bytes in p, which alias b.
func next(b []byte) (t tag, v uint64, p, rest []byte, err error) {
	x, n := protowire.ConsumeVarint(b)
	if n < 0 {
		return 0, 0, nil, nil, parseError(n)
	}
	b = b[n:]
	num, typ := protowire.DecodeTag(x)
	if num < protowire.MinValidNumber {
		return 0, 0, nil, nil, fmt.Errorf("field number %d", num)
	}
	switch typ {
	case protowire.VarintType:
		v, n = protowire.ConsumeVarint(b)
	case protowire.BytesType:
		p, n = protowire.ConsumeBytes(b)
	case protowire.Fixed32Type:
		var v32 uint32
		v32, n = protowire.ConsumeFixed32(b)
		v = uint64(v32)
	default:
		n = protowire.ConsumeFieldValue(num, typ, b)
	}
	if n < 0 {
		return 0, 0, nil, nil, parseError(n)
	}
	return tag(x), v, p, b[n:], nil
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
