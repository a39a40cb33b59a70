package connection

import (
	"errors"
	"net"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/wire"
)

// TestLargeCounts: large envelopes of the envelope stream count for both ends: the end that may open parallel streams may only
// receive, as in a ring.
func TestLargeCounts(t *testing.T) {
	here, there := net.Pipe()
	defer there.Close()
	c := newTestConn(t, nil, deadStream{}, wire.Hello{Incarnation: 1, Conversation: 7, Streams: MaxParallel}, true)
	c.frames = conversation.NewFrames(here, time.Minute)
	var b []byte
	sizes := []int{parallelFrom, 10}
	for i, size := range sizes {
		e := wire.Envelope{Seq: uint64(i + 1), Fills: []wire.SlotFill{{Payload: make([]byte, size)}}}
		b = conversation.AppendFrame(b, wire.AppendEnvelope(nil, &e))
	}
	go there.Write(b)
	for range sizes {
		if _, err := c.readOne(&c.batches[0], c.shared.Limits.Wire.Envelope); err != nil {
			t.Fatal(err)
		}
	}
	if n := c.large.Load(); n < parallelFrom || n >= 2*parallelFrom {
		t.Errorf("%d bytes of large envelopes are counted, want those of one of %d", n, parallelFrom)
	}
}

// TestChooseStream shows that only large envelopes are sent on parallel streams, that streams are used in turn,
// and that one that is slow gets less.
func TestChooseStream(t *testing.T) {
	c := newTestConn(t, nil, deadStream{}, wire.Hello{Incarnation: 1, Conversation: 7, Streams: MaxParallel}, true)
	if c.choose(1<<20) != nil {
		t.Error("a stream is chosen where there is none")
	}
	for number := 1; number <= 3; number++ {
		c.use(newParallel(c, number, deadStream{}, conversation.NewFrames(deadStream{}, 0)))
	}
	c.use(c.usable[0]) // a stream is used once
	for _, size := range []int{0, parallelFrom - 1, c.chunk + headRoom} {
		if c.choose(size) != nil {
			t.Errorf("an envelope of %d bytes is sent on a parallel stream", size)
		}
	}
	chosen := map[int]int{}
	for range 30 {
		chosen[c.choose(parallelFrom).Number]++
	}
	if len(chosen) != 3 || chosen[1] != 10 || chosen[2] != 10 {
		t.Errorf("streams are chosen %v times", chosen)
	}
	c.usable[1].out.Append(func(b []byte) []byte { return append(b, "waits"...) })
	for range 10 {
		if p := c.choose(parallelFrom); p.Number == 2 {
			t.Error("the stream with unwritten bytes is chosen")
		}
	}
}

// pipeStream is one end of a connection in memory.
type pipeStream struct{ net.Conn }

func (pipeStream) Peer() wire.PeerID { return wire.PeerID{} }

// TestParallelUnannounced shows that a parallel stream ends with its connection, although it holds envelopes that
// the envelope stream has not announced.
func TestParallelUnannounced(t *testing.T) {
	c := newTestConn(t, nil, deadStream{}, wire.Hello{}, false)
	near, far := net.Pipe()
	defer far.Close()
	s := pipeStream{near}
	p := newParallel(c, 1, s, conversation.NewFrames(s, 0))
	c.streams[0].Store(p)
	go p.run(c.wrote)
	for range len(p.batches) {
		if _, err := far.Write(conversation.AppendFrame(nil, []byte("an envelope"))); err != nil {
			t.Fatal(err)
		}
	}
	close(c.ended) // as the reader of the envelope stream does at its end
	c.Close()
	select {
	case <-p.ended:
	case <-time.After(time.Minute):
		t.Fatal("the parallel stream waits for the envelope stream, which has ended")
	}
}

// TestAdmits: a stream that the other end opens is a new one of this conversation, if this end has offered any.
func TestAdmits(t *testing.T) {
	var offer wire.Hello
	c := newTestConn(t, nil, deadStream{}, wire.Hello{}, false)
	if err := c.Admits(&wire.Hello{Stream: 1}); !errors.Is(err, runtime.ErrProtocol) {
		t.Errorf("a stream that was not offered: %v", err)
	}
	c.Offer(2, &offer)
	if offer.Streams != 2 || offer.Conversation == 0 {
		t.Fatalf("it offers %+v", offer)
	}
	c.streams[1].Store(&Parallel{})
	for _, tt := range []struct {
		conversation uint64
		stream       int
		admitted     bool
	}{
		{offer.Conversation, 1, true},
		{offer.Conversation, MaxParallel, true},
		{offer.Conversation, 2, false}, // there is one
		{offer.Conversation, 0, false},
		{offer.Conversation, MaxParallel + 1, false},
		{offer.Conversation + 2, 1, false},
		{0, 1, false},
	} {
		err := c.Admits(&wire.Hello{Conversation: tt.conversation, Stream: tt.stream})
		if errors.Is(err, runtime.ErrProtocol) == tt.admitted {
			t.Errorf("%+v: %v", tt, err)
		}
	}
	c = newTestConn(t, nil, deadStream{}, wire.Hello{Conversation: 7}, true)
	if err := c.Admits(&wire.Hello{Conversation: 7, Stream: 1}); !errors.Is(err, runtime.ErrProtocol) {
		t.Errorf("a stream that this end opens: %v", err)
	}
}
