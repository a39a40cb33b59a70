package mem

import (
	"encoding/binary"
	"hash/fnv"
	"testing"
)

// TestHash compares the hash with FNV-1a.
func TestHash(t *testing.T) {
	h := hash(hashStart)
	h.add(1, 1<<63|5)
	h.text("block")
	want := fnv.New64a()
	for _, v := range []uint64{1, 1<<63 | 5, 5} {
		binary.Write(want, binary.LittleEndian, v)
	}
	want.Write([]byte("block"))
	if uint64(h) != want.Sum64() {
		t.Errorf("got %x, want %x", h, want.Sum64())
	}
}
