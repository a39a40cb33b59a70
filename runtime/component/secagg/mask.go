package secagg

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"runtime"
	"sync"
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

// apply adds the masks to x, on all processors.
func (m *masks) apply(x []int32) {
	n := max(min(runtime.GOMAXPROCS(0), len(x)/leastPart), 1)
	size := (len(x)/n + 3) &^ 3 // a part begins with a block of the cipher
	var parts sync.WaitGroup
	for at := 0; at < len(x); at += size {
		part := x[at:min(at+size, len(x))]
		parts.Go(func() { m.applyFrom(part, at) })
	}
	parts.Wait()
}

// applyFrom adds the masks to elements from an index on, which is a multiple of 4. A part of x gets all masks while it
// is in the cache.
func (m *masks) applyFrom(x []int32, at int) {
	added, subtracted := streams(m.added, at), streams(m.subtracted, at)
	buffer := make([]byte, 4*partSize)
	for len(x) > 0 {
		part := x[:min(partSize, len(x))]
		addStreams(part, added, buffer, 1)
		addStreams(part, subtracted, buffer, -1)
		x = x[len(part):]
	}
}

// partSize is how many elements get all masks at a time.
const partSize = 2048

// streams returns the streams of keys from an element on.
func streams(keys [][secretSize]byte, at int) (list []cipher.Stream) {
	for _, key := range keys {
		block, err := aes.NewCipher(key[:16])
		if err != nil {
			panic("BUG: " + err.Error()) // the size is right
		}
		list = append(list, cipher.NewCTR(block, counter(key[16:], at/4)))
	}
	return list
}

// counter returns a counter, a big-endian number of 16 bytes, plus blocks.
func counter(begin []byte, blocks int) []byte {
	high, low := binary.BigEndian.Uint64(begin), binary.BigEndian.Uint64(begin[8:])
	sum := low + uint64(blocks)
	if sum < low {
		high++
	}
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, high), sum)
}

// addStreams adds the next numbers of streams to x, or subtracts them. The buffer has room for their bytes.
func addStreams(x []int32, list []cipher.Stream, buffer []byte, sign int32) {
	bytes := buffer[:4*len(x)]
	for _, s := range list {
		clear(bytes)
		s.XORKeyStream(bytes, bytes)
		rest, b := x, bytes
		for ; len(rest) >= 4 && len(b) >= 16; rest, b = rest[4:], b[16:] { // four at a time, in two loads
			v, w := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
			rest[0] += sign * int32(v)
			rest[1] += sign * int32(v>>32)
			rest[2] += sign * int32(w)
			rest[3] += sign * int32(w>>32)
		}
		for i := range rest {
			rest[i] += sign * int32(binary.LittleEndian.Uint32(b[4*i:]))
		}
	}
}
