package wire

import (
	"errors"
	"testing"
)

// TestAssemblyOverwritten: a sender that goes back may send other bytes, which are read in place of those that were summed.
func TestAssemblyOverwritten(t *testing.T) {
	good, bad := []byte("the payload"), []byte("THE payload")
	for _, second := range [][]byte{good, bad} {
		a, err := NewAssembly(Bulk{ID: 1, Size: uint64(len(good)), CRC: CRC(good)}, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		for _, data := range [][]byte{good[:5], second} {
			c := Chunk{Bulk: 1}
			room, err := a.Room(c, len(data))
			if err != nil {
				t.Fatal(err)
			}
			a.Commit(c, copy(room, data))
		}
		data, err := a.Done()
		if wrong := string(second) != string(good); wrong != errors.Is(err, ErrMalformed) {
			t.Errorf("%q: %v", second, err)
		} else if !wrong && (string(data.Bytes()) != string(good) || data.CRC() != CRC(good)) {
			t.Errorf("%q with checksum %08x", data.Bytes(), data.CRC())
		}
	}
}
