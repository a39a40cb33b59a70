package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"google.golang.org/protobuf/encoding/protowire"
)

// ErrMalformed is wrapped by every error about malformed bytes.
var ErrMalformed = errors.New("malformed message")

func malformed(what, format string, args ...any) error {
	return fmt.Errorf("wire: %s: %w: %s", what, ErrMalformed, fmt.Sprintf(format, args...))
}

// parseError returns the error for a negative size from protowire, or a negative end from [field]. The messages of
// protowire's own errors vary between runs, and runs are compared.
func parseError(n int) error {
	switch n {
	case endsEarly:
		return errEndsEarly
	case noField:
		return errNoField
	}
	return errUnreadable
}

const (
	endsEarly = -1 // the value of protowire
	noField   = math.MinInt
)

var (
	errEndsEarly  = errors.New("it ends early")
	errUnreadable = errors.New("a field cannot be read")
	errNoField    = errors.New("a field has no number that there is")
)

// A tag is a field number with its encoding, in the encoded form. A known number with another encoding is an
// unknown tag, which is skipped like in protobuf.
type tag uint64

const (
	varintType  = tag(protowire.VarintType)
	bytesType   = tag(protowire.BytesType)
	fixed32Type = tag(protowire.Fixed32Type)
)

// field reads the field at a place of a message: its tag, and its number, or the size of its bytes, which
// [content] returns. It returns the place after the field, or an argument of [parseError].
//
// NB: it only uses its arguments, so that all remain in registers.
func field(b []byte, at int) (t tag, v uint64, end int) {
	x := uint64(b[at])
	if at++; x >= 0x80 {
		if at < len(b) && b[at] < 0x80 {
			x, at = x&0x7f|uint64(b[at])<<7, at+1
		} else if x, at = number(b, at-1); at < 0 {
			return 0, 0, at
		}
	}
	if x < 1<<3 || x>>3 > math.MaxInt32 {
		return 0, 0, noField
	}
	typ := tag(x & 7)
	if typ != varintType && typ != bytesType {
		return other(b, at, x)
	}
	if at < len(b) && b[at] < 0x80 {
		v, at = uint64(b[at]), at+1
	} else if v, at = number(b, at); at < 0 {
		return 0, 0, at
	}
	if typ == bytesType {
		if v > uint64(len(b)-at) {
			return 0, 0, endsEarly
		}
		at += int(v)
	}
	return tag(x), v, at
}

// content returns the bytes of a field of size v that ends at end.
func content(b []byte, v uint64, end int) []byte { return b[end-int(v) : end] }

// other reads a field that is neither a number nor bytes, after its tag.
func other(b []byte, at int, x uint64) (t tag, v uint64, end int) {
	num, typ := protowire.DecodeTag(x)
	n := protowire.ConsumeFieldValue(num, typ, b[at:])
	if n < 0 {
		return 0, 0, n
	}
	if typ == protowire.Fixed32Type {
		f, _ := protowire.ConsumeFixed32(b[at:])
		v = uint64(f)
	}
	return tag(x), v, at + n
}

// number reads a number at a place, and returns the place after it, or an argument of [parseError]. Each byte
// has 7 bits of the number, and the eighth bit is set in all but the last. The first 8 bytes are read in one
// step.
func number(b []byte, at int) (v uint64, end int) {
	if b = b[at:]; len(b) >= 8 {
		v = binary.LittleEndian.Uint64(b)
		if last := ^v & 0x8080808080808080; last != 0 {
			return squeeze(v & (last ^ (last - 1))), at + 1 + bits.TrailingZeros64(last)/8
		}
		if len(b) >= 9 && b[8] < 0x80 {
			return squeeze(v) | uint64(b[8])<<56, at + 9
		}
		if len(b) >= 10 && b[9] < 2 {
			return squeeze(v) | uint64(b[8]&0x7f)<<56 | uint64(b[9])<<63, at + 10
		}
	}
	v, n := protowire.ConsumeVarint(b)
	if n < 0 {
		return 0, n
	}
	return v, at + n
}

// squeeze joins the low 7 bits of each byte.
func squeeze(v uint64) uint64 {
	v = v&0x007f007f007f007f | v>>1&0x3f803f803f803f80
	v = v&0x00003fff00003fff | v>>2&0x0fffc0000fffc000
	return v&0x000000000fffffff | v>>4&0x00fffffff0000000
}

// next reads one field from the front of b.
func next(b []byte) (t tag, v uint64, p, rest []byte, err error) {
	t, v, end := field(b, 0)
	if end < 0 {
		return 0, 0, nil, b, parseError(end)
	}
	if t&7 == bytesType {
		p = content(b, v, end)
	}
	return t, v, p, b[end:], nil
}

// appendNumber is protowire's AppendVarint, optimized for common numbers.
func appendNumber(b []byte, v uint64) []byte {
	if v < 0x80 {
		return append(b, byte(v))
	}
	return protowire.AppendVarint(b, v)
}

func appendVarint(b []byte, t tag, v uint64) []byte {
	if v == 0 {
		return b
	}
	return appendNumber(appendNumber(b, uint64(t)), v)
}

func appendBytes[T ~string | ~[]byte](b []byte, t tag, p T) []byte {
	if len(p) == 0 {
		return b
	}
	return append(appendHead(b, t, len(p)), p...)
}

// appendHead writes a tag and the size of the bytes that the caller writes next, even if it is 0.
func appendHead(b []byte, t tag, size int) []byte {
	return appendNumber(appendNumber(b, uint64(t)), uint64(size))
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
	return sizeNumber(uint64(t)) + sizeNumber(v)
}

// sizeNumber returns how many bytes [appendNumber] writes.
func sizeNumber(v uint64) int {
	if v < 0x80 {
		return 1
	}
	return protowire.SizeVarint(v)
}

func sizeBytes(t tag, n int) int {
	if n == 0 {
		return 0
	}
	return sizeHeaded(t, n)
}

// sizeHeaded returns how many bytes n bytes take with their head.
func sizeHeaded(t tag, n int) int { return sizeNumber(uint64(t)) + sizeNumber(uint64(n)) + n }

func sizeFixed32(t tag, v uint32) int {
	if v == 0 {
		return 0
	}
	return sizeNumber(uint64(t)) + protowire.SizeFixed32()
}

// AppendLength appends the length prefix of a message on a stream.
func AppendLength(b []byte, size int) []byte { return protowire.AppendVarint(b, uint64(size)) }

// ConsumeLength reads the length prefix at the beginning of a stream's bytes. It returns the size of the prefix
// and that of the message. The former is 0 if more bytes are needed to read the length.
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
