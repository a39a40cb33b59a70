package peer

import (
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/connection"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/host/peer/trust"
	"github.com/bbgen/bbgen/runtime/wire"
)

// deadStream is a stream without input.
type deadStream struct{ Stream }

func (deadStream) Close() error      { return nil }
func (deadStream) Peer() wire.PeerID { return testID(2) }

// newTestConn returns a connection to the peer of a deadStream.
func newTestConn(h *host, s Stream, hello wire.Hello, dialed bool) *connection.Conn {
	return connection.New(&h.Shared, h, &h.links[s.Peer()].Account, s, conversation.NewFrames(s, 0), hello, dialed)
}

// A peer that sends pings faster than a host does must wait before its next connection.
func TestFloodReason(t *testing.T) {
	h := newPagesHost(t)
	l := h.links[testID(2)]
	c := newTestConn(h, deadStream{}, wire.Hello{}, false)
	l.begin(c)
	h.disconnected(l, c, ErrFlood)
	if err := h.resting(l); !errors.Is(err, ErrRest) || !errors.Is(err, ErrFlood) {
		t.Errorf("it may come again: %v", err)
	}
}

// A peer that stops in the middle of a message, or says nothing at all, is given up after a time, and its connection ends at
// last. One that answers pings is not, however long it has nothing else to say.
func TestSilence(t *testing.T) {
	for name, c := range map[string]struct {
		do       func(c *conversationWith)
		from, to time.Duration // when it is given up
		want     string
		ends     string // why the connection ends later; "": with that
	}{
		"in the middle of a message": {func(c *conversationWith) {
			c.Write([]byte{100, 1, 2, 3})
			c.ended()
		}, 15 * time.Second, 16 * time.Second, "the peer has fallen silent", "in the middle of a message"},
		"for good": {func(c *conversationWith) {
			c.answerPings(20 * time.Second)
			c.ended()
		}, 21 * time.Second, 30 * time.Second, "the peer has fallen silent", ""},
		"but answers pings": {func(c *conversationWith) { c.answerPings(time.Hour) }, math.MaxInt64, 0, "", ""},
		"and does not read": {func(*conversationWith) {}, 15 * time.Second, 16 * time.Second, "the peer has fallen silent", "closed pipe"},
		"after its goodbye": {func(c *conversationWith) { c.Close() }, 0, 0, "", ""},
		"after nonsense":    {func(c *conversationWith) { c.Write([]byte{3, 0xff, 0xff, 0xff}) }, 0, 0, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newLAN()
				_, ping := newKeyFile(t, "ping", 0)
				x := n.run(t, handmade.Pong(), []trust.Member{ping}, "-listen", string(lanAddress(1)))
				s := n.newStranger(t, ping.ID, "ping", handmade.Ping(1))
				out := s.dial(lanAddress(1), EnvelopeStream)
				out.hearHello(t)
				began := time.Now()
				go c.do(out)
				pass(2 * time.Minute)
				down := x.events.lines(t, "peer down")
				if c.from == math.MaxInt64 {
					if down != nil {
						t.Errorf("it is given up: %+v", down)
					}
					return
				}
				if len(down) == 0 {
					t.Fatal("it is never given up")
				}
				if after := down[0].Time.Sub(began); after < c.from || after > c.to || !strings.Contains(down[0].Error, c.want) {
					t.Errorf("it is given up after %v, want %v to %v: %s, want %s", after, c.from, c.to, down[0].Error, c.want)
				}
				if c.ends != "" && !strings.Contains(x.log.String(), c.ends) {
					t.Errorf("the connection does not end for %s: %s", c.ends, &x.log)
				}
			})
		})
	}
}

// answerPings reads messages, and answers pings as a host does, for a time.
func (c *conversationWith) answerPings(during time.Duration) {
	for began := time.Now(); time.Since(began) < during; {
		m, err := c.hear()
		if err != nil {
			return
		}
		if !wire.IsPing(m) {
			continue
		}
		if p, err := wire.ConsumePing(m); err == nil && !p.Answer {
			c.say(wire.AppendPing(nil, wire.Ping{ID: p.ID, Answer: true, Unix: uint64(time.Now().UnixNano())}))
		}
	}
}

// lateStream is a stream whose bytes arrive after a time.
type lateStream struct {
	Stream
	late time.Duration
}

func (s lateStream) Write(b []byte) (int, error) {
	time.Sleep(s.late)
	return s.Stream.Write(b)
}

// The round trip to a peer and the difference of the clocks are measured with pings, and are on the status page.
func TestRoundTrip(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLAN()
		n.wrap = func(s Stream, _ lanDial) Stream { return lateStream{s, 25 * time.Millisecond} }
		_, ping := newKeyFile(t, "ping", 0)
		x := n.run(t, handmade.Pong(), []trust.Member{ping}, "-listen", string(lanAddress(1)))
		s := n.newStranger(t, ping.ID, "ping", handmade.Ping(1))
		out := s.dial(lanAddress(1), EnvelopeStream)
		out.hearHello(t)
		const ahead = time.Minute
		go func() {
			for {
				m, err := out.hear()
				if err != nil {
					return
				}
				if p, err := wire.ConsumePing(m); err == nil && !p.Answer {
					out.say(wire.AppendPing(nil, wire.Ping{ID: p.ID, Answer: true, Unix: uint64(time.Now().Add(ahead).UnixNano())}))
				}
			}
		}()
		pass(3 * time.Second)
		x.see(func(h *host) {
			r := h.report()
			if p := r.Peers[0]; p.RoundTrip.Round(time.Millisecond) != 50*time.Millisecond || p.Skew.Round(time.Millisecond) != ahead {
				t.Errorf("the round trip is %v and the clock %v ahead, want 50ms and %v", p.RoundTrip, p.Skew, ahead)
			}
			if l := h.links[ping.ID]; l.shortest.Round(time.Millisecond) != 50*time.Millisecond {
				t.Errorf("the shortest round trip is %v", l.shortest)
			}
			if text := textOf(r.Page()); !strings.Contains(text, "50ms") {
				t.Errorf("the page does not tell the round trip: %s", text)
			}
		})
	})
}

// A peer that floods loses its connection and must wait, longer each time; it hears for how long, and may come again
// then.
func TestFloodRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLAN()
		_, ping := newKeyFile(t, "ping", 0)
		x := n.run(t, handmade.Pong(), []trust.Member{ping}, "-listen", string(lanAddress(1)))
		s := n.newStranger(t, ping.ID, "ping", handmade.Ping(1))
		answer := wire.AppendPing(nil, wire.Ping{ID: 1, Answer: true})
		for i, wait := range []time.Duration{firstRest, 2 * firstRest, 4 * firstRest} {
			c := s.dial(lanAddress(1), EnvelopeStream)
			if hello := c.hearHello(t); hello.Refusal != "" {
				t.Fatalf("it is refused when it has waited: %s", hello.Refusal)
			}
			for c.say(answer) { // the host has asked for one at most
				if len(x.logged("a peer must wait")) > i {
					break
				}
			}
			c.ended()
			synctest.Wait() // the host knows why
			refused := s.dial(lanAddress(1), EnvelopeStream).hearHello(t).Refusal
			if !strings.Contains(refused, ErrRest.Error()) || !strings.Contains(refused, ErrFlood.Error()) {
				t.Errorf("it hears %q, want that it must wait, and why", refused)
			}
			if list := x.logged("a peer must wait"); len(list) != i+1 || !strings.Contains(list[i], " for="+wait.String()) {
				t.Errorf("the log says %q, want %v at last", list, wait)
			}
			pass(wait)
		}
		pass(2 * maxRest) // it gives no reason meanwhile
		c := s.dial(lanAddress(1), EnvelopeStream)
		c.hearHello(t)
		for c.say(answer) {
		}
		synctest.Wait()
		if list := x.logged("a peer must wait"); !strings.Contains(list[len(list)-1], " for="+firstRest.String()) {
			t.Errorf("after a long time it must wait %q, want %v", list[len(list)-1], firstRest)
		}
	})
}

// A peer that replaces the connection on which it has flooded, before the host knows of that, must wait, too.
func TestReplacedFloodRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLAN()
		_, ping := newKeyFile(t, "ping", 0)
		x := n.run(t, handmade.Pong(), []trust.Member{ping}, "-listen", string(lanAddress(1)))
		s := n.newStranger(t, ping.ID, "ping", handmade.Ping(1))
		c := s.dial(lanAddress(1), EnvelopeStream)
		c.hearHello(t)
		x.see(func(h *host) { h.disconnected(h.links[ping.ID], &connection.Conn{}, ErrFlood) })
		c.ended()
		if list := x.logged("a peer must wait"); len(list) != 1 {
			t.Errorf("the log says %q, want that the peer must wait", list)
		}
	})
}

// A host that must wait before it may dial a peer again tells the node so, and dials it then.
func TestDialRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLAN()
		_, pong := newKeyFile(t, "pong", 0, lanAddress(1))
		s := n.newStranger(t, pong.ID, "pong", handmade.Pong(), lanAddress(1))
		s.serve(func(c *conversationWith) {
			c.hear()
			c.say(connection.AppendHello(s.hello))
			c.answerPings(time.Hour)
		})
		x := n.run(t, handmade.Ping(1), []trust.Member{pong})
		pass(time.Second)
		began := time.Now()
		x.see(func(h *host) {
			l := h.links[pong.ID]
			l.rests = 4
			h.rest(l, ErrFlood)
			h.dial(l) // the connection has not ended yet
		})
		wait := firstRest << 4
		pass(wait - time.Millisecond)
		if again := n.dialed(lanAddress(1), began); again != nil {
			t.Errorf("it dials at %v, want not before %v", again, wait)
		}
		pass(time.Second)
		if up := x.events.lines(t, "peer up"); len(up) != 2 {
			t.Errorf("the peer has come %d times, want twice", len(up))
		}
	})
}

// A resting peer is not dialed, which the node hears, and the reason is kept.
func TestResting(t *testing.T) {
	h := newPagesHost(t)
	h.Times = connection.DefaultTimes()
	l := h.links[testID(2)]
	l.Addresses = []wire.Address{lanAddress(1)}
	h.rest(l, conversation.ErrNoPlace)
	h.dial(l)
	if l.dialing || !l.planned {
		t.Errorf("it dials: %v, and plans to: %v; want only the plan", l.dialing, l.planned)
	}
	if err := h.resting(l); !errors.Is(err, conversation.ErrNoPlace) || !strings.Contains(err.Error(), l.ID.String()) {
		t.Errorf("the reason is %v", err)
	}
}
