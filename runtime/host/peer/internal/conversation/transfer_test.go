package conversation

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/wire"
)

// counted is a payload that counts references. One on disk is read piece by piece.
type counted struct {
	wire.Blob
	onDisk bool
	fails  error // of reading
	refs   atomic.Int64
}

func (c *counted) Retain()  { c.refs.Add(1) }
func (c *counted) Release() { c.refs.Add(-1) }

func (c *counted) Bytes() []byte {
	if c.onDisk {
		return nil
	}
	return c.Blob.Bytes()
}

func (c *counted) ReadAt(b []byte, at int64) (int, error) {
	if c.fails != nil {
		return 0, c.fails
	}
	return c.Blob.ReadAt(b, at)
}

func random(size int) []byte {
	b := make([]byte, size)
	r := rand.New(rand.NewPCG(uint64(size), 1))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// receive reads messages until all payloads are complete, answers as a peer does, and returns the payloads.
func receive(t *testing.T, from net.Conn, in *Inbound, s *Sender, count int) map[uint64][]byte {
	t.Helper()
	lim := wire.Default()
	lim.Chunk = 1 << 10
	f := NewFrames(from, time.Minute)
	out := map[uint64][]byte{}
	for len(out) < count {
		size, err := f.Length(lim.Chunk + wire.ChunkHead)
		if err != nil {
			t.Fatal(err)
		}
		head, err := f.Peek(min(size, wire.ChunkHead))
		if err != nil {
			t.Fatal(err)
		}
		if wire.IsAck(head) {
			if _, err := f.Rest(nil, size); err != nil {
				t.Fatal(err)
			}
			continue
		}
		x, err := in.Take(f, head, size, &lim)
		if err != nil {
			t.Fatal(err)
		}
		if x.Acks && !s.Heard(x.Ack) {
			t.Errorf("payload %d is not sent any more at %d", x.Bulk.ID, x.Ack.Offset)
		}
		if x.Data != nil {
			b := make([]byte, x.Data.Size())
			if _, err := x.Data.ReadAt(b, 0); err != nil && err != io.EOF {
				t.Fatal(err)
			}
			out[x.Bulk.ID] = b
			x.Data.Release()
		}
	}
	return out
}

// TestTransfer sends payloads in memory and on disk at the same time, in chunks and by credit: each arrives
// unchanged, acknowledgements travel between the chunks, and no reference remains.
func TestTransfer(t *testing.T) {
	near, far := net.Pipe()
	s := NewSender(1 << 10)
	ended := make(chan error, 1)
	sent := 0
	go func() { ended <- s.Write(near, time.Minute, func(n int) { sent += n }) }()

	var in Inbound
	place := testSpool(t)
	lim := wire.Default()
	lim.Chunk = 1 << 10
	want := map[uint64]*counted{
		1: {Blob: wire.Bytes(random(100))},
		2: {Blob: wire.Bytes(random(100_000))},
		3: {Blob: wire.Bytes(random(200_000)), onDisk: true},
	}
	for id, data := range want {
		ask, ok, err := in.Fetch(bulkOf(id, data.Blob.Bytes()), place, &lim)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		s.Acknowledge(wire.Ack{Bulk: 100 + id, Offset: id})
		s.Start(ask, data)
		s.Start(ask, data) // a request may be repeated
	}
	got := receive(t, far, &in, s, len(want))
	s.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	for id, data := range want {
		if !bytes.Equal(got[id], data.Blob.Bytes()) {
			t.Errorf("payload %d of %d bytes arrives changed, with %d", id, data.Size(), len(got[id]))
		}
		if data.refs.Load() != 0 {
			t.Errorf("payload %d has %d references at the end", id, data.refs.Load())
		}
	}
	if sent < 300_100 {
		t.Errorf("%d bytes are reported as sent, less than the payloads have", sent)
	}
	if s.Heard(wire.Ack{Bulk: 1, Credit: 1}) {
		t.Error("an acknowledgement of a payload that is not sent is no request")
	}
}

// TestSenderCloses: payloads that are being sent are released when the stream ends, and later requests start
// nothing.
func TestSenderCloses(t *testing.T) {
	s := NewSender(10)
	data := &counted{Blob: wire.Bytes(random(100))}
	s.Start(wire.Ack{Bulk: 1, Credit: 100}, data)
	if data.refs.Load() != 1 {
		t.Errorf("a payload that is sent has %d references, want 1", data.refs.Load())
	}
	s.Close()
	s.Start(wire.Ack{Bulk: 2, Credit: 100}, data)
	if data.refs.Load() != 0 {
		t.Errorf("%d references remain", data.refs.Load())
	}
	if err := s.Write(&writing{}, time.Minute, func(int) { t.Error("something is written") }); err != nil {
		t.Error(err)
	}
}

// TestSenderFails: a stream or a disk that fails ends the writer with its error. The payload is kept until Close, as
// the peer has not got it.
func TestSenderFails(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		name string
		data *counted
		to   Drain
	}{
		{"disk", &counted{Blob: wire.Bytes(random(100)), onDisk: true, fails: broken}, &writing{}},
		{"stream", &counted{Blob: wire.Bytes(random(100))}, &failing{after: 0, err: broken}},
		{"stream after the head", &counted{Blob: wire.Bytes(random(100))}, &failing{after: 1, err: broken}},
		{"stream after the head, from disk", &counted{Blob: wire.Bytes(random(100)), onDisk: true}, &failing{after: 1, err: broken}},
		{"deadline", &counted{Blob: wire.Bytes(random(100))}, &failing{deadline: broken}},
	} {
		s := NewSender(10)
		s.Start(wire.Ack{Bulk: 1, Credit: 100}, c.data)
		if err := s.Write(c.to, time.Minute, func(int) {}); !errors.Is(err, broken) {
			t.Errorf("%s: got %v", c.name, err)
		}
		s.Close()
		if c.data.refs.Load() != 0 {
			t.Errorf("%s: %d references remain", c.name, c.data.refs.Load())
		}
	}
}

// failing is a stream that fails after some writes.
type failing struct {
	after    int
	err      error
	deadline error
}

func (f *failing) Write(b []byte) (int, error) {
	if f.after--; f.after < 0 {
		return 0, f.err
	}
	return len(b), nil
}

func (f *failing) SetWriteDeadline(time.Time) error { return f.deadline }
func (f *failing) SetReadDeadline(time.Time) error  { return f.deadline }
func (f *failing) Read([]byte) (int, error)         { return 0, io.EOF }
