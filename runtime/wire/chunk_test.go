package wire

import (
	"bytes"
	"errors"
	"math"
	"math/bits"
	"testing"
)

// TestCRC checks the checksum against the check value of CRC-32C.
func TestCRC(t *testing.T) {
	if got := CRC([]byte("123456789")); got != 0xe3069283 { // the check value of CRC-32C
		t.Errorf("got %08x", got)
	}
}

// chunks divides a payload into chunks.
func chunks(bulk uint64, p []byte, size int) (list []Chunk) {
	for at := 0; at < len(p); at += size {
		d := p[at:min(at+size, len(p))]
		list = append(list, Chunk{bulk, uint64(at), CRC(d), d})
	}
	return list
}

// A payload arrives in chunks, and after a reconnect the sender continues at the acknowledged offset, or before
// it.
func TestAssembly(t *testing.T) {
	payload := bytes.Repeat([]byte("0123456789"), 100)
	b := Bulk{7, uint64(len(payload)), CRC(payload)}
	a, err := NewAssembly(b, int64(len(payload)))
	if err != nil {
		t.Fatal(err)
	}
	lim := Edge()
	list := chunks(7, payload, 300)
	for _, i := range []int{0, 1, 1, 0, 2, 3, 3} {
		if got, _ := a.Done(); got != nil && i != 3 {
			t.Fatal("complete too early")
		}
		c, err := ConsumeChunk(AppendChunk(nil, &list[i]), &lim)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Add(c); err != nil {
			t.Fatal(err)
		}
	}
	got, err := a.Done()
	if got == nil || err != nil || !bytes.Equal(got.Bytes(), payload) || got.CRC() != b.CRC {
		t.Fatalf("got %v, %v", got, err)
	}
}

// TestAssemblyRefuses checks that chunks with gaps, wrong sizes or wrong checksums are refused.
func TestAssemblyRefuses(t *testing.T) {
	payload := make([]byte, 100)
	list := chunks(7, payload, 60)
	if _, err := NewAssembly(Bulk{7, 101, 0}, 100); err == nil {
		t.Error("more than the limit is begun")
	}
	for name, f := range map[string]func(a *Assembly) error{
		"gap":         func(a *Assembly) error { return a.Add(list[1]) },
		"other bulk":  func(a *Assembly) error { return a.Add(chunks(8, payload, 60)[0]) },
		"beyond end":  func(a *Assembly) error { return a.Add(chunks(7, make([]byte, 101), 101)[0]) },
		"wrong sum":   func(a *Assembly) error { a.Add(list[0]); a.Add(list[1]); _, err := a.Done(); return err },
		"wraps round": func(a *Assembly) error { return a.Add(Chunk{7, 1<<64 - 1, 0, list[0].Data}) },
	} {
		a, _ := NewAssembly(Bulk{7, 100, 1}, 100)
		if err := f(a); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// An announced size costs no memory until the bytes arrive.
func TestAssemblyMemory(t *testing.T) {
	a, err := NewAssembly(Bulk{7, 1 << 30, 0}, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Add(chunks(7, make([]byte, 1000), 1000)[0]); err != nil {
		t.Fatal(err)
	}
	if held := len(a.memory.Bytes()); held > 1<<17 {
		t.Errorf("1000 bytes take %d", held)
	}
	if a.Drop(); a.Offset() != 0 {
		t.Errorf("%d bytes are left of what was given up", a.Offset())
	}
}

// FuzzChunk decodes arbitrary bytes; what is decoded must survive encoding.
func FuzzChunk(f *testing.F) {
	c := chunks(7, []byte("payload"), 4)
	f.Add(AppendChunk(nil, &c[1]))
	f.Add(AppendAck(nil, Ack{7, 1, 2}))
	lim := Edge()
	f.Fuzz(func(t *testing.T, b []byte) {
		if c, err := ConsumeChunk(b, &lim); err == nil {
			again, err := ConsumeChunk(AppendChunk(nil, &c), &lim)
			if err != nil || again.Offset != c.Offset || !bytes.Equal(again.Data, c.Data) {
				t.Fatalf("%+v comes back as %+v, %v", c, again, err)
			}
			a, err := NewAssembly(Bulk{c.Bulk, 1 << 20, 0}, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			if err := a.Add(c); err == nil && a.Offset() > 1<<20 {
				t.Fatalf("assembled %d bytes", a.Offset())
			}
		}
		if a, err := ConsumeAck(b); err == nil {
			if again, err := ConsumeAck(AppendAck(nil, a)); err != nil || again != a {
				t.Fatalf("%+v comes back as %+v, %v", a, again, err)
			}
		}
		if n, size, err := ConsumeLength(b, 1000); err == nil && (n > len(b) || size > 1000) {
			t.Fatalf("length %d of %d bytes", size, n)
		}
	})
}

// The limit of a payload is not an int: one of the defaults is 1<<40, also on machines of 32 bits, and a
// payload that such a machine cannot hold in one piece is refused.
func TestAssemblyLimit(t *testing.T) {
	if _, err := NewAssembly(Bulk{7, 100, 0}, 1<<40); err != nil {
		t.Error(err)
	}
	for _, size := range []uint64{1<<40 + 1, math.MaxUint64} {
		if _, err := NewAssembly(Bulk{7, size, 0}, 1<<40); err == nil {
			t.Errorf("%d bytes are taken", size)
		}
	}
	if _, err := NewAssembly(Bulk{7, 1 << 32, 0}, 1<<40); (err == nil) != (math.MaxInt > 1<<32) {
		t.Errorf("%d bytes, with an int of %d bits: %v", uint64(1)<<32, bits.UintSize, err)
	}
}
