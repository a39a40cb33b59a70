// Package keystream gives the pseudorandom numbers of a key: AES-128 in counter mode.
package keystream

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/bbgen/bbgen/runtime/cpu"
)

// Stream is the numbers of one key: by [cpu.Keystream], which adds them without storing them first, or by package
// cipher.
type Stream struct {
	fast      cpu.Keystream
	high, low uint64 // its counter

	slow   cipher.Stream // nil: fast
	buffer []byte
}

// New returns the stream of a key from a block of four numbers on. The first half of the key encrypts a counter that
// begins with the other half.
func New(key [32]byte, block int) *Stream {
	const most = 1 << 40 // blocks: a counter whose lower half may overflow is left to package cipher
	s := &Stream{}
	var carry uint64
	s.low, carry = bits.Add64(binary.BigEndian.Uint64(key[24:]), uint64(block), 0)
	s.high = binary.BigEndian.Uint64(key[16:]) + carry
	if cpu.HasKeystream() && s.low < math.MaxUint64-most {
		s.fast = cpu.NewKeystream([16]byte(key[:16]))
		return s
	}
	b, err := aes.NewCipher(key[:16])
	if err != nil {
		panic("BUG: " + err.Error()) // the size is right
	}
	s.slow = cipher.NewCTR(b, binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, s.high), s.low))
	return s
}

// Add adds the next numbers to x, or subtracts them if the sign is -1. All calls but the last have a multiple of four
// elements.
func (s *Stream) Add(x []int32, sign int32) {
	if s.slow == nil {
		s.fast.Add(x, s.high, s.low, sign)
		s.low += uint64(len(x) / 4)
		return
	}
	if len(s.buffer) < 4*len(x) {
		s.buffer = make([]byte, 4*len(x))
	}
	b := s.buffer[:4*len(x)]
	clear(b)
	s.slow.XORKeyStream(b, b)
	addBytes(x, b, sign)
}

// addBytes adds the numbers in b to x, or subtracts them: four at a time, in two loads.
func addBytes(x []int32, b []byte, sign int32) {
	for ; len(x) >= 4 && len(b) >= 16; x, b = x[4:], b[16:] {
		v, w := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
		x[0] += sign * int32(v)
		x[1] += sign * int32(v>>32)
		x[2] += sign * int32(w)
		x[3] += sign * int32(w>>32)
	}
	for i := range x {
		x[i] += sign * int32(binary.LittleEndian.Uint32(b[4*i:]))
	}
}
