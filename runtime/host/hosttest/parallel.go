package hosttest

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Parallel reports whether the streams of the wrapped transport are separate connections.
func (b *broken) Parallel() bool { return isParallel(b.Transport) }

func isParallel(tr peer.Transport) bool {
	p, ok := tr.(interface{ Parallel() bool })
	return ok && p.Parallel()
}

// parallel reports whether streams of the transport are separate connections.
func (k *kit) parallel(t *testing.T) bool {
	tr, _ := k.bare(t, false)
	return isParallel(tr)
}

// large returns a value that is sent in one envelope, on a parallel stream if there is one.
func large() []float64 {
	x := make([]float64, 40_000)
	for i := range x {
		x[i] = float64(i % 100)
	}
	return x
}

// testParallel shows that large values are sent on parallel streams if the transport has separate connections,
// as many as -connections says, and that the result is the same.
func testParallel(t *testing.T, k *kit) {
	var streams atomic.Int64
	counted, _ := k.breaking(func(p peer.Protocol) int64 {
		if p == peer.ParallelStream {
			streams.Add(1)
		}
		return 1 << 40
	})
	counted.args = []string{"-connections", "3"}
	counted.rounds(t, counted, 60, 1, large())
	want := int64(0)
	if k.parallel(t) {
		want = 2 * 3 // each is counted at both ends
	}
	if n := streams.Load(); n != want {
		t.Errorf("%d ends of parallel streams, want %d", n, want)
	}
}

// testNoParallel shows that one end without parallel streams is enough to have none.
func testNoParallel(t *testing.T, k *kit) {
	for _, none := range [][]string{{"-connections", "1"}, {"-edge"}} {
		var streams atomic.Int64
		counted, _ := k.breaking(func(p peer.Protocol) int64 {
			if p == peer.ParallelStream {
				streams.Add(1)
			}
			return 1 << 40
		})
		counted.rounds(t, counted, 20, 1, large(), append([]string{"-connections", "4"}, none...)...)
		if n := streams.Load(); n != 0 {
			t.Errorf("%v: %d ends of parallel streams", none, n)
		}
	}
}

// testParallelOrder shows that values arrive in the order in which they were sent, although parallel streams
// have different speeds.
func testParallelOrder(t *testing.T, k *kit) {
	var keys [3]string
	var all [3]peer.Member
	for i, class := range []string{"first", "second", "third"} {
		keys[i], all[i] = member(t, class, 0)
	}
	start := func(number int, begin func(*runtime.Node) error, peers ...peer.Member) *node {
		n := start(t, k.program(handmade.Stage(number), begin), "-key", keys[number], "-peers", peersFile(t, peers...), "-listen", k.listen, "-connections", "4")
		all[number].Addresses = n.addresses()
		return n
	}
	third := start(2, nil, all[0], all[1])
	start(1, nil, all[0], all[2])
	var values [][]float64
	var want []string
	for i := range 100 {
		x := large()
		x[0] = float64(i)
		values = append(values, x)
		want = append(want, hash(handmade.Pipeline(x)))
	}
	start(0, invoke("first", values...), all[1])
	third.await("the last value", func(l peer.Line) bool { return l.Kind == "emitted" && l.Hash == want[len(want)-1] })
	var got []string
	third.mu.Lock()
	for _, l := range third.lines {
		if l.Kind == "emitted" {
			got = append(got, l.Hash)
		}
	}
	third.mu.Unlock()
	if !slices.Equal(got, want) {
		t.Errorf("%d values in another order than the %d that were sent", len(got), len(want))
	}
}

// testParallelBreaks shows that the loss of a parallel stream costs no value: the peers connect again.
func testParallelBreaks(t *testing.T, k *kit) {
	var streams atomic.Int64
	bad, _ := k.breaking(func(p peer.Protocol) int64 {
		if p == peer.ParallelStream {
			streams.Add(1)
			return 1 << 20 // in the middle of the fourth value
		}
		return 1 << 40
	})
	bad.args = []string{"-connections", "2"}
	bad.rounds(t, bad, 40, 2, large())
	if n := streams.Load(); k.parallel(t) && n == 0 {
		t.Error("there are no parallel streams")
	}
}

// testParallelHostile shows that a parallel stream is accepted only from the peer of a connection, with the
// number of that connection, and once; and what a peer must not send on it.
func testParallelHostile(t *testing.T, k *kit) {
	if !k.parallel(t) {
		t.Skip("the transport has no separate connections")
	}
	list := k.attackers(t, handmade.Pong(), 2)
	h, other := list[0], list[1]
	c, offer, hello := h.converse()
	if offer.Streams < 1 || offer.Conversation == 0 {
		t.Fatalf("no parallel streams are offered: %+v", offer)
	}
	_, theirs, otherHello := other.converse()
	open := func(h *hostile, hello wire.Hello, conversation uint64, number int) (*talk, error) {
		hello.Conversation, hello.Stream = conversation, number
		s := h.dial(h.tr, peer.ParallelStream)
		s.send(wire.AppendHello(nil, &hello))
		limits := wire.Default()
		got, err := wire.ConsumeHello(s.receive(), &limits)
		if err == nil && got.Refusal != "" {
			err = fmt.Errorf("refused: %s", got.Refusal)
		}
		return s, err
	}
	refused := func(name string, h *hostile, hello wire.Hello, conversation uint64, number int) {
		t.Helper()
		if s, err := open(h, hello, conversation, number); err == nil || !strings.Contains(err.Error(), runtime.ErrProtocol.Error()) {
			t.Errorf("%s: got %v", name, err)
		} else {
			s.ended()
		}
	}
	refused("of no conversation", h, hello, 0, 1)
	refused("of the conversation of another peer", h, hello, theirs.Conversation, 1)
	refused("of another peer", other, otherHello, offer.Conversation, 1)
	refused("without a number", h, hello, offer.Conversation, 0)
	refused("beyond the limit", h, hello, offer.Conversation, offer.Streams+1)
	later := hello
	later.Incarnation++
	if s, err := open(h, later, offer.Conversation, 1); err == nil && s.receive() != nil {
		t.Error("a stream of another incarnation is accepted")
	}
	s, err := open(h, hello, offer.Conversation, 1)
	if err != nil {
		t.Fatal(err)
	}
	refused("a second time", h, hello, offer.Conversation, 1)
	inTurn(t, h, c, s)
	s.send(wire.AppendPing(nil, wire.Ping{ID: 1})) // it belongs on the envelope stream
	s.ended()
	c.ended()
	h.alive()
}

// inTurn checks that an envelope on the parallel stream s has an effect when the envelope stream c says so, and not
// before.
func inTurn(t *testing.T, h *hostile, c, s *talk) {
	t.Helper()
	c.send(wire.AppendParallel(nil, wire.Parallel{Stream: 1, Opens: true}))
	s.send(h.ask(1, 1, func(*wire.Envelope) {}))
	c.send(wire.AppendParallel(nil, wire.Parallel{Stream: 1}))
	c.send(h.ask(2, 2, func(*wire.Envelope) {}))
	if n := c.answers(h, 2); n != 2 {
		t.Errorf("%d answers", n)
	}
}

// testParallelFrames shows that messages of the envelope stream about streams that do not exist, and messages
// on parallel streams that are too large, end the connection.
func testParallelFrames(t *testing.T, k *kit) {
	if !k.parallel(t) {
		t.Skip("the transport has no separate connections")
	}
	for name, m := range map[string][]byte{
		"a stream that does not exist": wire.AppendParallel(nil, wire.Parallel{Stream: 1}),
		"a number beyond the limit":    wire.AppendParallel(nil, wire.Parallel{Stream: 1 << 30}),
		"no number":                    []byte("\xd8\x01\x00"),
	} {
		h := k.attack(t)
		c, _, _ := h.converse()
		c.send(m)
		c.ended()
		if t.Failed() {
			t.Fatal(name)
		}
	}
	h := k.attack(t)
	c, offer, hello := h.converse()
	hello.Conversation, hello.Stream = offer.Conversation, 1
	s := h.dial(h.tr, peer.ParallelStream)
	s.send(wire.AppendHello(nil, &hello))
	s.receive()
	s.Write(wire.AppendLength(nil, wire.Default().Envelope))
	s.ended()
	c.ended()
	h.alive()
}

// converse opens an envelope stream, and returns the Hellos of both ends.
func (h *hostile) converse() (c *talk, theirs, own wire.Hello) {
	h.t.Helper()
	c = h.dial(h.tr, peer.EnvelopeStream)
	own = h.hello()
	c.send(wire.AppendHello(nil, &own))
	limits := wire.Default()
	theirs, err := wire.ConsumeHello(c.receive(), &limits)
	if err != nil || theirs.Refusal != "" {
		h.t.Fatalf("an honest hello is refused: %v %s", err, theirs.Refusal)
	}
	return c, theirs, own
}
