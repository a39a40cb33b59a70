package peer

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/connection"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/host/peer/trust"
	"github.com/bbgen/bbgen/runtime/wire"
)

// TestRedial: a peer with an address is dialed until it answers, after 10 ms at first and 1 s at most, and its absence
// is logged once. When the connection ends, the delays begin anew.
func TestRedial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLAN()
		pongKey, pong := newKeyFile(t, "pong", 0, lanAddress(1))
		pingKey, ping := newKeyFile(t, "ping", 0)
		began := time.Now()
		x := n.run(t, handmade.Ping(1), []trust.Member{pong}, "-key", pingKey)
		pass(10 * time.Second)
		var want, got []time.Duration
		for d := firstRedial; len(want) < 12; d *= 2 {
			want = append(want, min(d, maxRedial))
		}
		times := n.dialed(lanAddress(1), began)
		for i := range times[1:] {
			got = append(got, times[i+1]-times[i])
		}
		if len(got) < len(want) || !within(got[:len(want)], want) {
			t.Errorf("it dials after %v, want after %v and a quarter more at most", got, want)
		}
		if list := x.logged("peer not reached"); len(list) != 1 || !strings.Contains(list[0], errNobody.Error()) {
			t.Errorf("the log says %q, want once that nobody listens", list)
		}

		y := n.run(t, handmade.Pong(), []trust.Member{ping}, "-key", pongKey, "-listen", string(lanAddress(1)))
		pass(2 * time.Second)
		if up := x.events.lines(t, "peer up"); len(up) != 1 {
			t.Fatalf("it has seen %d peers come up, want the one that listens now", len(up))
		}
		if err := y.end(); err != nil {
			t.Error(err)
		}
		gone := time.Now()
		pass(time.Second)
		if times = n.dialed(lanAddress(1), gone); len(times) < 5 || times[0] > 2*firstRedial {
			t.Errorf("after the end of the connection it dials at %v, want soon and often", times)
		}
	})
}

// TestHandshakeStops: whatever a peer does instead of saying Hello, the attempt ends in time with a reason, and the
// peer is dialed again.
func TestHandshakeStops(t *testing.T) {
	frame := func(hello *wire.Hello) []byte { return conversation.AppendFrame(nil, connection.AppendHello(*hello)) }
	for name, c := range map[string]struct {
		do   func(s Stream, hello wire.Hello)
		want string
		at   time.Duration
	}{
		"it says nothing": {func(Stream, wire.Hello) {}, "no hello: ", 10 * time.Second},
		"it stops in the middle": {func(s Stream, hello wire.Hello) {
			b := frame(&hello)
			s.Write(b[:len(b)/2])
		}, "no hello: ", 10 * time.Second},
		"it says a byte now and then": {func(s Stream, hello wire.Hello) {
			for _, b := range frame(&hello)[:20] {
				if _, err := s.Write([]byte{b}); err != nil {
					return
				}
				time.Sleep(time.Second)
			}
		}, "no hello: ", 10 * time.Second},
		"it closes":        {func(s Stream, _ wire.Hello) { s.Close() }, "pong", 0}, // seen as a refusal, or by what is still written
		"it says nonsense": {func(s Stream, _ wire.Hello) { s.Write([]byte{3, 0xff, 0xff, 0xff}) }, "no hello: ", 0},
		"it says too much": {func(s Stream, _ wire.Hello) { s.Write([]byte{0xff, 0xff, 0xff, 0x7f}) }, "no hello: ", 0},
		"it refuses": {func(s Stream, _ wire.Hello) {
			s.Write(frame(&wire.Hello{Protocol: wire.Protocol, Refusal: "today is Sunday"}))
		}, "the peer refuses: today is Sunday", 0},
		"it is of another class": {func(s Stream, hello wire.Hello) {
			hello.Classes = []string{"ping"}
			s.Write(frame(&hello))
		}, "class", 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newLAN()
				_, pong := newKeyFile(t, "pong", 0, lanAddress(1))
				s := n.newStranger(t, pong.ID, "pong", handmade.Pong(), lanAddress(1))
				s.serve(func(in *conversationWith) {
					in.hearHello(t)
					c.do(in, s.hello)
				})
				began := time.Now()
				x := n.run(t, handmade.Ping(1), []trust.Member{pong})
				pass(c.at + 2*time.Second)
				list := x.logged("peer not reached")
				if len(list) == 0 || !strings.Contains(list[0], c.want) {
					t.Errorf("the log says %q, want %s", list, c.want)
				}
				again := n.dialed(lanAddress(1), began)
				if len(again) < 2 || again[1] < c.at || again[1] > c.at+time.Second {
					t.Errorf("it dials at %v, want the second time after %v", again, c.at)
				}
				if up := x.events.lines(t, "peer up"); up != nil {
					t.Errorf("the peer is up: %+v", up)
				}
			})
		})
	}
}

// TestBothDial: two peers dial each other at once, and the one that accepts what the other has dialed closes its own connection
// at the same time. That this end arrives before the Hello is no loss of the peer. It is one if the dial fails.
func TestBothDial(t *testing.T) {
	for name, c := range map[string]struct {
		accepts  bool
		up, down int
	}{"the other connection is accepted": {true, 1, 0}, "it is not": {false, 1, 1}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newLAN()
				_, pong := newKeyFile(t, "pong", 0, lanAddress(1))
				s := n.newStranger(t, pong.ID, "pong", handmade.Pong(), lanAddress(1))
				dialed := make(chan *conversationWith, 100)
				s.serve(func(in *conversationWith) { dialed <- in })
				x := n.run(t, handmade.Ping(1), []trust.Member{pong}, "-listen", string(lanAddress(2)))
				in := <-dialed
				in.hearHello(t)
				out := s.dial(lanAddress(2), EnvelopeStream)
				out.hearHello(t)
				pass(100 * time.Millisecond)
				out.Close()
				pass(100 * time.Millisecond)
				if c.accepts {
					in.say(connection.AppendHello(s.hello))
					go in.answerPings(time.Minute)
				} else {
					in.Close()
				}
				pass(5 * time.Second)
				up, down := x.events.lines(t, "peer up"), x.events.lines(t, "peer down")
				if len(up) != c.up || len(down) != c.down {
					t.Errorf("the peer comes up %d times and down %d times, want %d and %d", len(up), len(down), c.up, c.down)
				}
			})
		})
	}
}

// Both ends keep the same one of two connections, in whatever order they see them.
func TestWins(t *testing.T) {
	a, b := testID(1), testID(2)
	type seen struct {
		self, other wire.PeerID
		byA         bool // a dialed the present connection
	}
	keptByA := func(self, other wire.PeerID, firstByA bool) bool {
		l := &link{PeerConfig: runtime.PeerConfig{ID: other}, conn: &connection.Conn{Dialed: firstByA == (self == a), Hello: wire.Hello{Incarnation: 5}}}
		if l.wins(self, !l.conn.Dialed, 5) {
			return !firstByA
		}
		return firstByA
	}
	for _, x := range []seen{{a, b, true}, {a, b, false}, {b, a, true}, {b, a, false}} {
		if !keptByA(x.self, x.other, x.byA) {
			t.Errorf("%+v: the connection that the larger id dialed is kept", x)
		}
	}
	l := &link{PeerConfig: runtime.PeerConfig{ID: a}, conn: &connection.Conn{Dialed: false, Hello: wire.Hello{Incarnation: 5}}}
	if !l.wins(b, true, 6) {
		t.Error("a peer that was started anew is not listened to")
	}
	if !l.wins(b, false, 5) {
		t.Error("the later of two that one end dialed does not count")
	}
	if l.over = io.EOF; !l.wins(b, true, 5) {
		t.Error("a connection that has ended is kept")
	}
}
