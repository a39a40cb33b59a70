package secagg

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"math"
	"math/bits"
	"runtime"
	"sync"

	"github.com/bbgen/bbgen/runtime/cpu"
)

// masks are added to a vector: numbers that follow from keys by AES in counter mode. Sums wrap around, so that masks
// cancel exactly.
type masks struct{ added, subtracted [][secretSize]byte }

// add adds a mask, or subtracts it if the sign is negative.
func (m *masks) add(key [secretSize]byte, sign int32) {
	if sign > 0 {
		m.added = append(m.added, key)
	} else {
		m.subtracted = append(m.subtracted, key)
	}
}

// leastPart is how many elements are worth another goroutine.
const leastPart = 1 << 16

// apply sets dst to x with the masks, on all processors.
func (m *masks) apply(dst, x []int32) {
	n := max(min(runtime.GOMAXPROCS(0), len(x)/leastPart), 1)
	size := (len(x)/n + 3) &^ 3 // a part begins with a block of the cipher
	var parts sync.WaitGroup
	for at := 0; at < len(x); at += size {
		end := min(at+size, len(x))
		parts.Go(func() { m.applyFrom(dst[at:end], x[at:end], at) })
	}
	parts.Wait()
}

// applyFrom sets elements from an index on, which is a multiple of 4. A part of them gets all masks while it is in the
// cache.
func (m *masks) applyFrom(dst, x []int32, at int) {
	added, subtracted := streams(m.added, at), streams(m.subtracted, at)
	for len(x) > 0 {
		part := dst[:copy(dst[:min(partSize, len(dst))], x)]
		for i := range added {
			added[i].next(part, 1)
		}
		for i := range subtracted {
			subtracted[i].next(part, -1)
		}
		dst, x = dst[len(part):], x[len(part):]
	}
}

// partSize is how many elements get all masks at a time.
const partSize = 4096

// stream is the numbers of one key: by [cpu.Keystream], which adds them without storing them first, or by package
// cipher.
type stream struct {
	fast      cpu.Keystream
	high, low uint64 // its counter

	slow   cipher.Stream // nil: fast
	buffer []byte
}

// streams returns the streams of keys from an element on.
func streams(keys [][secretSize]byte, at int) []stream {
	list := make([]stream, len(keys))
	buffer := make([]byte, 4*partSize)
	for i, key := range keys {
		list[i].open(key, at/4)
		list[i].buffer = buffer
	}
	return list
}

// open begins the stream of a key at a block: the first half of the key encrypts a counter that begins with the other
// half.
func (s *stream) open(key [secretSize]byte, at int) {
	const most = 1 << 40 // blocks of a vector: a counter whose lower half may overflow is left to package cipher
	var carry uint64
	s.low, carry = bits.Add64(binary.BigEndian.Uint64(key[24:]), uint64(at), 0)
	s.high = binary.BigEndian.Uint64(key[16:]) + carry
	if cpu.HasKeystream() && s.low < math.MaxUint64-most {
		s.fast = cpu.NewKeystream([16]byte(key[:16]))
		return
	}
	block, err := aes.NewCipher(key[:16])
	if err != nil {
		panic("BUG: " + err.Error()) // the size is right
	}
	s.slow = cipher.NewCTR(block, binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, s.high), s.low))
}

// next adds the next numbers to x, or subtracts them. All parts but the last have a multiple of 4 elements.
func (s *stream) next(x []int32, sign int32) {
	if s.slow != nil {
		bytes := s.buffer[:4*len(x)]
		clear(bytes)
		s.slow.XORKeyStream(bytes, bytes)
		addBytes(x, bytes, sign)
		return
	}
	s.fast.Add(x, s.high, s.low, sign)
	s.low += uint64(len(x) / 4)
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
