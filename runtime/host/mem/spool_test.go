package mem

import (
	"bytes"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// newSpooling returns a network of two peers with room for two large values each.
func newSpooling(t *testing.T, c Config) (*Network, *spool) {
	t.Helper()
	c.Spool, c.SpoolFiles, c.Persist = 4, 2, 1e6
	w := New(c)
	for _, p := range []func() *runtime.Partition{func() *runtime.Partition { return handmade.Ping(1) }, handmade.Pong} {
		w.Add(runtime.Config{Durable: true}, p)
	}
	if _, err := w.Run(1, func() bool { return w.Node(0) != nil }); err != nil || w.hosts[0].spool == nil {
		t.Fatalf("the peer has the spool %v, %v", w.hosts[0].spool, err)
	}
	return w, w.hosts[0].spool
}

// until runs a network up to a time.
func until(t *testing.T, w *Network, now int64) {
	t.Helper()
	if _, err := w.Run(now, func() bool { return w.now >= now }); err != nil {
		t.Fatal(err)
	}
}

// TestSpool: a value is in memory until it is written, one file for all that put it, and gone with its last reference
// unless a snapshot names it.
func TestSpool(t *testing.T) {
	w, s := newSpooling(t, Config{Seed: 1})
	data := []byte("a large value")
	v := s.Put(data, nil)
	if s.unwritten() != 1 || v.Size() != uint64(len(data)) || v.CRC() != wire.CRC(data) || v.Bytes() != nil || v.Memory() != nil {
		t.Fatalf("the value is %+v, and %d are to be written", v, s.unwritten())
	}
	if again := s.Put(data, nil); again != v || s.shares() != 2 {
		t.Errorf("a value that is put twice has %d references", s.shares())
	}
	until(t, w, 1e9)
	if s.unwritten() != 0 {
		t.Error("the value is never written")
	}
	got := make([]byte, len(data))
	if _, err := v.ReadAt(got, 0); err != nil || !bytes.Equal(got, data) {
		t.Errorf("got %q, %v", got, err)
	}
	v.Release()
	name := s.Name(v)
	v.Release()
	if found, err := s.Open(name, v.Size(), v.CRC()); err != nil || found != v {
		t.Errorf("a value that the snapshot names: %v, %v", found, err)
	}
	v.Release()
	if values := s.sync(); !bytes.Equal(values[name], data) {
		t.Errorf("the snapshot has the values %v", values)
	}
	s.written++
	if values := s.sync(); len(values) != 0 || len(s.files) != 0 {
		t.Errorf("after the next snapshot there are %d values, which has %v", len(s.files), values)
	}
	if shares, err := w.Spooled(0); shares != 0 || err != nil {
		t.Errorf("%d references are left, %v", shares, err)
	}
}

// TestSpoolRefuses: values that are small, or too many, are not stored; those that are not there, or others, are not
// opened.
func TestSpoolRefuses(t *testing.T) {
	_, s := newSpooling(t, Config{Seed: 1})
	if s.Put([]byte("abc"), nil) != nil {
		t.Error("a small value is stored")
	}
	v := s.Put([]byte("first"), wire.Bytes([]byte("first")))
	s.Put([]byte("second"), nil)
	if s.Put([]byte("third"), nil) != nil {
		t.Error("more values are stored than there is room for")
	}
	if s.Name(wire.Bytes([]byte("first"))) != 0 {
		t.Error("memory has a name")
	}
	name := s.Name(v)
	for _, c := range []struct {
		name, size uint64
		crc        uint32
	}{{name + 7, v.Size(), v.CRC()}, {name, v.Size() + 1, v.CRC()}, {name, v.Size(), v.CRC() + 1}} {
		if _, err := s.Open(c.name, c.size, c.crc); err == nil {
			t.Errorf("value %d of %d bytes is opened", c.name, c.size)
		}
	}
}

// TestSpoolNotices: a value that is used without a reference, or whose memory changes before it is written, is an error
// of the peer.
func TestSpoolNotices(t *testing.T) {
	w, s := newSpooling(t, Config{Seed: 1})
	data := []byte("a large value")
	s.Put(data, wire.Bytes(data))
	data[0] = 'A'
	until(t, w, 1e9)
	if _, err := w.Spooled(0); err == nil || !strings.Contains(err.Error(), "has changed before it was written") {
		t.Errorf("memory that changes: %v", err)
	}
	for what, use := range map[string]func(wire.Blob){
		"read": func(v wire.Blob) { v.ReadAt(make([]byte, 1), 0) }, "shared": func(v wire.Blob) { v.Retain() }, "released": func(v wire.Blob) { v.Release() },
	} {
		w, s := newSpooling(t, Config{Seed: 1})
		v := s.Put([]byte("a large value"), nil)
		v.Release()
		use(v)
		if _, err := w.Spooled(0); err == nil || !strings.Contains(err.Error(), "is "+what+" without a reference to it") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestSpoolFull: while the disk is full, values stay in memory, and are written later.
func TestSpoolFull(t *testing.T) {
	w, s := newSpooling(t, Config{Seed: 1, Faults: []Fault{{At: 2e6, For: 1e9, Kind: DiskFull}}})
	until(t, w, 3e6)
	s.Put([]byte("a large value"), nil)
	until(t, w, 5e8)
	if s.unwritten() != 1 {
		t.Error("a full disk has room")
	}
	until(t, w, 3e9)
	if s.unwritten() != 0 {
		t.Error("the value is not written when there is room again")
	}
}

// TestFaultText names each kind of fault in the text of one.
func TestFaultText(t *testing.T) {
	seen := map[string]bool{}
	for k := Crash; k <= SyncFails; k++ {
		text := Fault{At: 1e9, For: 2e9, Kind: k, Node: 3, Other: 4}.String()
		if k.String() == "" {
			continue // the number of the kinds that are drawn
		}
		if seen[text] || seen[k.String()] || !strings.Contains(text, "3") {
			t.Errorf("fault %d is %q: %q", k, k, text)
		}
		seen[text], seen[k.String()] = true, true
	}
}
