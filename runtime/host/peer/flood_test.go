package peer

import (
	"errors"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/wire"
)

// deadStream is a stream without input.
type deadStream struct{ Stream }

func (deadStream) Close() error { return nil }

// A peer that sends pings faster than a host does loses its connection, and must wait before the next one.
func TestPingFlood(t *testing.T) {
	h := newPagesHost(t)
	l := h.links[testID(2)]
	s := deadStream{}
	c := newConn(h, l, s, conversation.NewFrames(s, 0), wire.Hello{}, false)
	l.conn = c
	m := wire.AppendPing(nil, wire.Ping{ID: 1})
	var err error
	answered := 0
	for ; err == nil && answered < 100*pingBurst; answered++ {
		err = c.ping(m)
	}
	if !errors.Is(err, ErrFlood) || answered < pingBurst {
		t.Fatalf("%d pings are answered: %v", answered, err)
	}
	h.disconnected(c, err)
	if err := h.resting(l); !errors.Is(err, ErrRest) || !errors.Is(err, ErrFlood) {
		t.Errorf("it may come again: %v", err)
	}
}

// A peer that has just been heard is not pinged, except to measure the round trip now and then.
func TestQuiet(t *testing.T) {
	h := newPagesHost(t)
	h.times = defaultTimes()
	c := newConn(h, h.links[testID(2)], deadStream{}, conversation.NewFrames(deadStream{}, 0), wire.Hello{}, false)
	every := int64(h.times.ping)
	now := h.now() + 100*every
	if c.moved.Store(now); !c.quiet(now) {
		t.Error("the round trip of a new connection is not measured")
	}
	for _, tt := range []struct {
		heard, measured int64 // ns ago
		want            bool
	}{{0, 0, false}, {every / 2, every, false}, {every, every, true}, {0, measureEvery + 1, true}} {
		c.measured = now - tt.measured
		c.moved.Store(now - tt.heard)
		if got := c.quiet(now); got != tt.want {
			t.Errorf("heard %v ago, measured %v ago: a ping is due: %v, want %v", time.Duration(tt.heard), time.Duration(tt.measured), got, tt.want)
		}
	}
}
