package conversation

import (
	"bytes"
	"log/slog"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/spool"
	"github.com/bbgen/bbgen/runtime/wire"
)

// fileSinkOf returns a file payload that has received some chunks.
func fileSinkOf(t *testing.T, b wire.Bulk, chunks ...wire.Chunk) *fileSink {
	t.Helper()
	s, err := spool.New(disk.OS, t.TempDir(), 1, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	w := s.Begin(nil, b.Size)
	if w == nil {
		t.Fatal("there is no room")
	}
	k := &fileSink{w: w, bulk: b}
	for _, c := range chunks {
		f := NewFrames(reading{Reader: bytes.NewReader(c.Data)}, time.Minute)
		if err := k.read(f, c, len(c.Data)); err != nil {
			t.Fatal(err)
		}
	}
	return k
}

// A sender goes back after a reconnect: bytes that were written are not written again.
func TestFileSinkGoesBack(t *testing.T) {
	data := []byte("a payload that comes in parts")
	b := wire.Bulk{ID: 1, Size: uint64(len(data)), CRC: wire.CRC(data)}
	k := fileSinkOf(t, b, wire.Chunk{Bulk: 1, Data: data[:10]}, wire.Chunk{Bulk: 1, Offset: 4, Data: data[4:20]}, wire.Chunk{Bulk: 1, Offset: 20, Data: data[20:]})
	x, err := k.done()
	if err != nil || x == nil {
		t.Fatalf("got %v, %v", x, err)
	}
	defer x.Release()
	got := make([]byte, len(data))
	if _, err := x.ReadAt(got, 0); err != nil || !bytes.Equal(got, data) {
		t.Errorf("got %q, %v", got, err)
	}
}

// A payload with a wrong checksum is refused.
func TestFileSinkChecks(t *testing.T) {
	data := []byte("a payload")
	k := fileSinkOf(t, wire.Bulk{ID: 1, Size: uint64(len(data)), CRC: wire.CRC(data) + 1}, wire.Chunk{Bulk: 1, Data: data})
	if x, err := k.done(); err == nil {
		t.Errorf("got %v, want an error", x)
	}
	k.drop()
}
