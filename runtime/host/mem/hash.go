package mem

import (
	"encoding/binary"
	stdhash "hash"
)

// hash takes numbers and texts one after the other.
type hash struct{ stdhash.Hash64 }

func (h hash) add(vs ...uint64) {
	var b [8]byte
	for _, v := range vs {
		binary.LittleEndian.PutUint64(b[:], v)
		h.Write(b[:])
	}
}

func (h hash) text(s string) {
	h.add(uint64(len(s)))
	h.Write([]byte(s))
}
