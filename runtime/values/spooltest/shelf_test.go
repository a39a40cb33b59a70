package spooltest

import (
	"bytes"
	"io"
	"testing"

	"github.com/bbgen/bbgen/runtime/wire"
)

// read returns all that a value reports to have.
func read(b wire.Blob) ([]byte, error) {
	return io.ReadAll(io.NewSectionReader(b, 0, int64(b.Size())))
}

// TestShelfKeepsCopies: what was put stays, whatever happens to the caller's memory, until its last reference is released.
func TestShelfKeepsCopies(t *testing.T) {
	var s Shelf
	data := []byte("first")
	first := s.Put(data, nil)
	copy(data, "XXXXX")
	second := s.Put([]byte("second"), first)
	if got, err := read(first); string(got) != "first" || err != nil {
		t.Errorf("the first value is %q, %v", got, err)
	}
	if got, err := read(second); string(got) != "second" || err != nil {
		t.Errorf("the second value is %q, %v", got, err)
	}
	if first.Bytes() != nil || first.Memory() != nil {
		t.Error("a value can be read without its methods")
	}
	if first.CRC() != wire.CRC([]byte("first")) || first.Size() != 5 {
		t.Errorf("the first value has %d bytes with the checksum %x", first.Size(), first.CRC())
	}

	first.Retain()
	if n := s.Shared(); n != 3 {
		t.Errorf("there are %d references, want 3", n)
	}
	first.Release()
	if _, err := read(first); err != nil {
		t.Errorf("with a reference left: %v", err)
	}
	first.Release()
	if _, err := read(first); err == nil {
		t.Error("a value without references can be read")
	}
	if n := s.Shared(); n != 1 {
		t.Errorf("there are %d references, want that to the second value", n)
	}
}

// TestReferenceTooMany: a value that has no reference can neither be released nor retained, and the count of the others stays.
func TestReferenceTooMany(t *testing.T) {
	for name, use := range map[string]func(wire.Blob){"Release": wire.Blob.Release, "Retain": wire.Blob.Retain} {
		var s Shelf
		x := s.Put([]byte("released"), nil)
		s.Put([]byte("held"), nil)
		x.Release()
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s of a value without references is accepted", name)
				}
			}()
			use(x)
		}()
		if n := s.Shared(); n != 1 {
			t.Errorf("after %s there are %d references, want 1", name, n)
		}
	}
}

// TestShelfFindsByName: a value is found only under its own name, with its own size and checksum.
func TestShelfFindsByName(t *testing.T) {
	var s Shelf
	x, y := s.Put([]byte("same"), nil), s.Put([]byte("same"), nil)
	nx, ny := s.Name(x), s.Name(y)
	if nx == 0 || ny == 0 || nx == ny {
		t.Fatalf("the names are %d and %d", nx, ny)
	}
	if n := s.Name(wire.Bytes("same")); n != 0 || len(s.Named) != 2 || s.Named[0] != nx || s.Named[1] != ny {
		t.Errorf("another blob has the name %d; %d were named, want %d and %d", n, s.Named, nx, ny)
	}
	found, err := s.Open(ny, 4, y.CRC())
	if err != nil || found != y || s.Shared() != 3 {
		t.Errorf("the second one is found as %v, %v; %d references", found, err, s.Shared())
	}
	for _, c := range []struct {
		name, size uint64
		crc        uint32
	}{{ny + 1, 4, y.CRC()}, {0, 4, y.CRC()}, {ny, 3, y.CRC()}, {ny, 5, y.CRC()}, {ny, 4, y.CRC() ^ 1}} {
		if b, err := s.Open(c.name, c.size, c.crc); err == nil || b != nil {
			t.Errorf("%+v is found", c)
		}
	}
	if s.Shared() != 3 {
		t.Errorf("what was not found has added references: %d, want 3", s.Shared())
	}
	if _, err := new(Shelf).Open(1, 0, 0); err == nil {
		t.Error("an empty shelf has a value")
	}
}

// TestClaimedSize: data that is shorter than its size ends early, which a reader must notice.
func TestClaimedSize(t *testing.T) {
	x := &Value{Data: []byte("abc"), Claimed: 5, Shares: 1}
	if x.Size() != 5 {
		t.Errorf("the size is %d", x.Size())
	}
	p := make([]byte, 5)
	if n, err := x.ReadAt(p, 0); n != 3 || err != io.EOF || !bytes.Equal(p[:n], []byte("abc")) {
		t.Errorf("a read is %d, %v", n, err)
	}
	if n, err := x.ReadAt(p[:2], 1); n != 2 || err != nil && err != io.EOF || string(p[:2]) != "bc" {
		t.Errorf("a read at 1 is %d, %v, %q", n, err, p[:2])
	}
}
