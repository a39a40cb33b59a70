package peer

import (
	"errors"
	"testing"

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
