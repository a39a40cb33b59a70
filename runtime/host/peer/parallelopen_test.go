package peer

import (
	"errors"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/connection"
	"github.com/bbgen/bbgen/runtime/wire"
)

// separateTransport is a network whose streams are separate connections.
type separateTransport struct{ Transport }

func (separateTransport) Parallel() bool { return true }

// newConversation returns the link of a connection that offers parallel streams to the other end.
func newConversation(t *testing.T, dialled bool) (*host, *link) {
	t.Helper()
	h := newPagesHost(t)
	quiet, err := newQuietTransport(TransportConfig{})
	if err != nil {
		t.Fatal(err)
	}
	h.Limits.Wire, h.Began = wire.Default(), time.Now()
	h.transport, h.budget.parallel, h.threads = separateTransport{quiet}, maxParallels, 4
	l := h.links[testID(2)]
	l.begin(newTestConn(h, deadStream{}, wire.Hello{Incarnation: 1, Conversation: 7, Streams: connection.MaxParallel}, dialled))
	return h, l
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
		{threads: 1, offered: 8, rtt: far, want: connection.MaxParallel},
		{threads: 1, offered: 8, rtt: far - 1, want: 0},
		{threads: 4, offered: 3, want: 3},
		{threads: 4, offered: 0, rtt: far, want: 0},
		{threads: 4, offered: 1, want: 0},
		{threads: 4, offered: 8, option: 6, want: 6},
		{threads: 4, offered: 8, option: 1, rtt: far, want: 0},
		{threads: 4, offered: 8, used: maxParallels - 3, want: 3},
		{threads: 4, offered: 8, used: maxParallels, want: 0},
	} {
		h, l := newConversation(t, true)
		h.threads, h.options.Connections, h.parallel, l.conn.Hello.Streams, l.shortest = tt.threads, tt.option, tt.used, tt.offered, tt.rtt
		if got := h.wanted(l); got != tt.want {
			t.Errorf("%+v: got %d", tt, got)
		}
	}
}

// TestParallelRoom shows that a host with as many parallel streams as its descriptors allow offers none and
// accepts none.
func TestParallelRoom(t *testing.T) {
	h, l := newConversation(t, false)
	var hello wire.Hello
	if h.offer(l.conn, &hello); hello.Streams != connection.MaxParallel || hello.Conversation == 0 {
		t.Fatalf("it offers %+v", hello)
	}
	h.parallel = h.budget.parallel
	err := h.acceptParallel(l, deadStream{}, nil, wire.Hello{Incarnation: 1, Conversation: hello.Conversation, Stream: 1})
	if !errors.Is(err, runtime.ErrProtocol) || h.parallel != h.budget.parallel {
		t.Errorf("one more is accepted: %v", err)
	}
	other := newTestConn(h, deadStream{}, wire.Hello{}, false)
	hello = wire.Hello{}
	if h.offer(other, &hello); hello.Streams != 0 || hello.Conversation != 0 {
		t.Errorf("it offers %+v", hello)
	}
}

// TestParallelPause shows that a connection opens no parallel streams before it carries large values, or soon
// after one has ended before its connection.
func TestParallelPause(t *testing.T) {
	h, l := newConversation(t, true)
	h.Ask(func() { // streams that are opened tell the loop
		if h.spread(l); l.begun != 0 {
			t.Errorf("%d streams before the first value", l.begun)
		}
		for !l.conn.Spreads() {
			l.conn.Send(&wire.Envelope{Seq: 1, Fills: []wire.SlotFill{{Payload: make([]byte, 64<<10)}}})
		}
		h.parallelEnded(l, &connection.Parallel{Number: 1}, true)
		if h.spread(l); l.begun != 0 {
			t.Errorf("%d streams after the loss of one", l.begun)
		}
		l.parallelTil = 0
		if h.spread(l); l.begun != 4 {
			t.Errorf("%d streams, want 4", l.begun)
		}
	})
}
