package secagg

import (
	"runtime"
	"sync"

	"github.com/bbgen/bbgen/runtime/component/internal/keystream"
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
		for _, s := range added {
			s.Add(part, 1)
		}
		for _, s := range subtracted {
			s.Add(part, -1)
		}
		dst, x = dst[len(part):], x[len(part):]
	}
}

// partSize is how many elements get all masks at a time.
const partSize = 4096

// streams returns the streams of keys from an element on.
func streams(keys [][secretSize]byte, at int) []*keystream.Stream {
	list := make([]*keystream.Stream, len(keys))
	for i, key := range keys {
		list[i] = keystream.New(key, at/4)
	}
	return list
}
