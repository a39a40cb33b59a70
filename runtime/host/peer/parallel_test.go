package peer

import (
	"errors"
	"net"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/wire"
)

// separateTransport is a network whose streams are separate connections.
type separateTransport struct{ Transport }

func (separateTransport) Parallel() bool { return true }

// newConversation returns a connection that offers parallel streams to the other end.
func newConversation(t *testing.T, dialled bool) (*host, *conn) {
	t.Helper()
	h := newPagesHost(t)
	quiet, err := newQuietTransport(TransportConfig{})
	if err != nil {
		t.Fatal(err)
	}
	h.limits.Wire, h.began = wire.Default(), time.Now()
	h.transport, h.budget.parallel, h.threads = separateTransport{quiet}, maxParallels, 4
	s := deadStream{}
	c := newConn(&h.shared, h, h.links[testID(2)], s, conversation.NewFrames(s, 0), wire.Hello{Incarnation: 1, Conversation: 7, Streams: maxParallel}, dialled)
	c.link.conn = c
	return h, c
}

// TestWantedStreams shows how many parallel streams a connection gets, by processors, distance, option and what
// both ends have room for.
func TestWantedStreams(t *testing.T) {
	for _, tt := range []struct {
		threads, option, offered, used int
		rtt                            time.Duration
		want                           int
	}{
		{threads: 1, offered: 8, want: 0},
		{threads: 2, offered: 8, want: 2},
		{threads: 3, offered: 8, want: 3},
		{threads: 64, offered: 8, want: coreStreams},
		{threads: 1, offered: 8, rtt: far, want: maxParallel},
		{threads: 1, offered: 8, rtt: far - 1, want: 0},
		{threads: 4, offered: 3, want: 3},
		{threads: 4, offered: 0, rtt: far, want: 0},
		{threads: 4, offered: 1, want: 0},
		{threads: 4, offered: 8, option: 6, want: 6},
		{threads: 4, offered: 8, option: 1, rtt: far, want: 0},
		{threads: 4, offered: 8, used: maxParallels - 3, want: 3},
		{threads: 4, offered: 8, used: maxParallels, want: 0},
	} {
		h, c := newConversation(t, true)
		h.threads, h.options.Connections, h.parallel, c.hello.Streams, c.rtt = tt.threads, tt.option, tt.used, tt.offered, tt.rtt
		if got := h.wanted(c); got != tt.want {
			t.Errorf("%+v: got %d", tt, got)
		}
	}
}

// TestParallelRoom shows that a host with as many parallel streams as its descriptors allow offers none and
// accepts none.
func TestParallelRoom(t *testing.T) {
	h, c := newConversation(t, false)
	var hello wire.Hello
	if h.offer(c, &hello); hello.Streams != maxParallel || hello.Conversation == 0 || hello.Conversation != c.conversation {
		t.Fatalf("it offers %+v", hello)
	}
	h.parallel = h.budget.parallel
	err := h.acceptParallel(c.link, deadStream{}, nil, wire.Hello{Incarnation: 1, Conversation: c.conversation, Stream: 1})
	if !errors.Is(err, runtime.ErrProtocol) || c.streams[0].Load() != nil {
		t.Errorf("one more is accepted: %v", err)
	}
	other := newConn(&h.shared, h, c.link, deadStream{}, c.frames, wire.Hello{}, false)
	hello = wire.Hello{}
	if h.offer(other, &hello); hello.Streams != 0 || hello.Conversation != 0 {
		t.Errorf("it offers %+v", hello)
	}
}

// TestLargeCounts: large envelopes of the envelope stream count for both ends: the end that may open parallel streams may only
// receive, as in a ring.
func TestLargeCounts(t *testing.T) {
	here, there := net.Pipe()
	defer there.Close()
	_, c := newConversation(t, true)
	c.frames = conversation.NewFrames(here, time.Minute)
	var b []byte
	sizes := []int{parallelFrom, 10}
	for i, size := range sizes {
		e := wire.Envelope{Seq: uint64(i + 1), Fills: []wire.SlotFill{{Payload: make([]byte, size)}}}
		b = conversation.AppendFrame(b, wire.AppendEnvelope(nil, &e))
	}
	go there.Write(b)
	for range sizes {
		if _, err := c.readOne(&c.batches[0], c.shared.limits.Wire.Envelope); err != nil {
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
	_, c := newConversation(t, true)
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
		chosen[c.choose(parallelFrom).number]++
	}
	if len(chosen) != 3 || chosen[1] != 10 || chosen[2] != 10 {
		t.Errorf("streams are chosen %v times", chosen)
	}
	c.usable[1].out.Append(func(b []byte) []byte { return append(b, "waits"...) })
	for range 10 {
		if p := c.choose(parallelFrom); p.number == 2 {
			t.Error("the stream with unwritten bytes is chosen")
		}
	}
}

// pipeStream is one end of a connection in memory.
type pipeStream struct {
	Stream // for the methods that no test calls
	net.Conn
}

func (s pipeStream) Read(b []byte) (int, error)         { return s.Conn.Read(b) }
func (s pipeStream) Write(b []byte) (int, error)        { return s.Conn.Write(b) }
func (s pipeStream) Close() error                       { return s.Conn.Close() }
func (s pipeStream) SetReadDeadline(t time.Time) error  { return s.Conn.SetReadDeadline(t) }
func (s pipeStream) SetWriteDeadline(t time.Time) error { return s.Conn.SetWriteDeadline(t) }

// TestParallelUnannounced shows that a parallel stream ends with its connection, although it holds envelopes that
// the envelope stream has not announced.
func TestParallelUnannounced(t *testing.T) {
	_, c := newConversation(t, false)
	near, far := net.Pipe()
	defer far.Close()
	s := pipeStream{Conn: near}
	p := newParallel(c, 1, s, conversation.NewFrames(s, 0))
	c.streams[0].Store(p)
	go p.run(c.wrote)
	for range len(p.batches) {
		if _, err := far.Write(conversation.AppendFrame(nil, []byte("an envelope"))); err != nil {
			t.Fatal(err)
		}
	}
	close(c.ended) // as the reader of the envelope stream does at its end
	c.close()
	select {
	case <-p.ended:
	case <-time.After(time.Minute):
		t.Fatal("the parallel stream waits for the envelope stream, which has ended")
	}
}

// TestParallelPause shows that a connection opens no parallel streams before it carries large values, or soon
// after one has ended before its connection.
func TestParallelPause(t *testing.T) {
	h, c := newConversation(t, true)
	h.ask(func() { // streams that are opened tell the loop
		if h.spread(c); c.begun != 0 {
			t.Errorf("%d streams before the first value", c.begun)
		}
		c.large.Store(parallelAfter)
		h.parallelEnded(newParallel(c, 1, deadStream{}, conversation.NewFrames(deadStream{}, 0)), true)
		if h.spread(c); c.begun != 0 {
			t.Errorf("%d streams after the loss of one", c.begun)
		}
		c.link.parallelTil = 0
		if h.spread(c); c.begun != 4 {
			t.Errorf("%d streams, want 4", c.begun)
		}
	})
}
