package conversation

import (
	"bytes"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/spool"
	"github.com/bbgen/bbgen/runtime/wire"
)

// testLimits returns limits with chunks of 4 bytes.
func testLimits() *wire.Limits {
	lim := wire.Default()
	lim.Chunk = 4
	return &lim
}

// testSpool returns a spool with room for one file.
func testSpool(t *testing.T) *spool.Spool {
	t.Helper()
	s, err := spool.New(disk.OS, t.TempDir(), 1, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// brought receives a chunk of which a number of bytes arrive on a stream.
func brought(in *Inbound, c wire.Chunk, arrives int) (Taken, error) {
	m, size := wire.AppendChunkHead(nil, &c, len(c.Data))
	m = append(m, c.Data[:arrives]...)
	f := NewFrames(reading{bytes.NewReader(m)}, time.Minute)
	head, err := f.Peek(min(len(m), size, wire.ChunkHead))
	if err != nil {
		return Taken{}, err
	}
	return in.Take(f, head, size, testLimits())
}

func bulkOf(id uint64, data []byte) wire.Bulk {
	return wire.Bulk{ID: id, Size: uint64(len(data)), CRC: wire.CRC(data)}
}

// A payload comes in chunks, over two connections, and continues where it was.
func TestInbound(t *testing.T) {
	data := []byte("a payload in chunks")
	var in Inbound
	s, b := testSpool(t), bulkOf(1, data)
	if ask, ok, err := in.Fetch(b, s, testLimits()); err != nil || !ok || ask != (wire.Ack{Bulk: 1, Credit: 32}) {
		t.Fatalf("it is asked for with %+v, %t, %v", ask, ok, err)
	}
	if x, err := brought(&in, wire.Chunk{Bulk: 1, Data: data[:4]}, 4); err != nil || x.Data != nil || x.Acks {
		t.Errorf("a part of it is %+v, %v", x, err)
	}
	x, err := brought(&in, wire.Chunk{Bulk: 1, Offset: 4, Data: data[4:8]}, 1) // the connection breaks
	if err == nil || !x.Left {
		t.Errorf("a chunk that is cut short is %+v, %v", x, err)
	}
	in.Pause()
	if asks := in.Wanted(); asks != nil {
		t.Errorf("got %+v, want no requests on this connection", asks)
	}
	if _, ok := in.Resume(x); ok {
		t.Error("a payload that is no longer needed is resumed")
	}
	ask, ok, err := in.Fetch(b, s, testLimits())
	if err != nil || !ok || ask.Offset < 4 || ask.Offset > 5 {
		t.Fatalf("it goes on with %+v, %t, %v", ask, ok, err)
	}
	if again, ok := in.Resume(x); !ok || again != ask {
		t.Errorf("it is resumed with %+v, %t", again, ok)
	}
	for at := 4; at < len(data); at += 4 {
		end := min(at+4, len(data))
		if x, err = brought(&in, wire.Chunk{Bulk: 1, Offset: uint64(at), Data: data[at:end]}, end-at); err != nil {
			t.Fatal(err)
		}
	}
	if x.Data == nil || !x.Acks || x.Ack.Offset != b.Size || !bytes.Equal(x.Data.Bytes(), data) {
		t.Fatalf("the end of it is %+v", x)
	}
	x.Data.Release()
	if _, err := brought(&in, wire.Chunk{Bulk: 1, Data: data[:4]}, 4); !errors.Is(err, errUnasked) {
		t.Errorf("a chunk of what is whole: %v", err)
	}
}

// Payloads that are not being fetched are not read.
func TestInboundUnasked(t *testing.T) {
	var in Inbound
	if _, err := brought(&in, wire.Chunk{Bulk: 1, Data: []byte("data")}, 4); !errors.Is(err, errUnasked) {
		t.Errorf("got %v, want %v", err, errUnasked)
	}
	if _, _, err := in.Fetch(bulkOf(1, []byte("data")), testSpool(t), testLimits()); err != nil {
		t.Fatal(err)
	}
	in.Forget()
	if _, err := brought(&in, wire.Chunk{Bulk: 1, Data: []byte("data")}, 4); !errors.Is(err, errUnasked) {
		t.Errorf("of what was forgotten: got %v, want %v", err, errUnasked)
	}
}

// A payload without a place is deferred, on this connection.
func TestInboundDeferred(t *testing.T) {
	const large = 2 << 20 // each is a file, and there is room for one
	s := testSpool(t)
	var in Inbound
	for id := range uint64(3) {
		_, ok, err := in.Fetch(wire.Bulk{ID: id, Size: large}, s, testLimits())
		if want := id == 0; ok != want || errors.Is(err, ErrNoPlace) == want {
			t.Errorf("payload %d: %t, %v", id, ok, err)
		}
	}
	if list := in.Waiting(); len(list) != 2 || list[0].ID != 1 || list[1].ID != 2 {
		t.Errorf("deferred are %+v", list)
	}
	if list := in.Waiting(); list != nil {
		t.Errorf("they are told twice: %+v", list)
	}
	in.Fetch(wire.Bulk{ID: 1, Size: large}, s, testLimits())
	in.Pause()
	if list := in.Waiting(); list != nil {
		t.Errorf("what a connection has deferred that is over: %+v", list)
	}
	in.Pause() // the first one was not requested on the connection that has ended
	if len(in.list) > 0 {
		t.Errorf("%d payloads are kept that are no longer needed", len(in.list))
	}
}

// A payload is requested on a new connection while the reader of the earlier one reads a chunk of it. When that is done, the
// payload is left to be requested, whether the chunk was complete or not.
func TestInboundAskedWhileRead(t *testing.T) {
	data := []byte("a payload")
	for _, arrives := range []int{1, 4} {
		var in Inbound
		s, b := testSpool(t), bulkOf(1, data)
		if _, ok, err := in.Fetch(b, s, testLimits()); err != nil || !ok {
			t.Fatal(ok, err)
		}
		asked := func() {
			in.Pause()
			if _, ok, err := in.Fetch(b, s, testLimits()); ok || err != nil {
				t.Errorf("it is requested while it is read: %v", err)
			}
			if asks := in.Wanted(); asks != nil {
				t.Errorf("it is requested on a new stream while it is read: %+v", asks)
			}
		}
		head, size := wire.AppendChunkHead(nil, &wire.Chunk{Bulk: 1}, 4)
		f := NewFrames(&pausing{head: bytes.NewReader(head), rest: bytes.NewReader(data[:arrives]), pause: asked}, time.Minute)
		peeked, err := f.Peek(len(head))
		if err != nil {
			t.Fatal(err)
		}
		x, err := in.Take(f, peeked, size, testLimits())
		if !x.Left || (err == nil) != (arrives == 4) {
			t.Errorf("of 4 bytes %d arrive: left is %v, %v", arrives, x.Left, err)
		}
		if ask, ok := in.Resume(x); !ok || ask.Bulk != 1 || arrives == 4 && ask.Offset != 4 {
			t.Errorf("it is resumed with %+v, %v", ask, ok)
		}
	}
}

// pausing is a stream of two parts. Something happens between them.
type pausing struct {
	head, rest *bytes.Reader
	pause      func()
}

func (p *pausing) Read(b []byte) (int, error) {
	if p.head.Len() > 0 {
		return p.head.Read(b)
	}
	if p.pause != nil {
		p.pause()
		p.pause = nil
	}
	return p.rest.Read(b)
}

func (p *pausing) SetReadDeadline(time.Time) error { return nil }
