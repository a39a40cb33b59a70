package peer

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/bbgen/bbgen/runtime/host/chaos"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/connection"
	"github.com/bbgen/bbgen/runtime/wire"
)

// storm applies -chaos to the envelopes that the peer sends, like the network of package mem. Payloads on bulk
// streams, pings and hellos are unaffected: losing one of these would break the channel.
type storm struct {
	chaos.Spec
	dice *rand.Rand
}

// newStorm reads -chaos.
func newStorm(text string, seed uint64, rank int) (*storm, error) {
	if text == "" {
		return nil, nil
	}
	s := &storm{dice: rand.New(rand.NewPCG(seed, uint64(rank)))}
	if err := s.Set(text); err != nil {
		return nil, fmt.Errorf("-chaos: %w", err)
	}
	if s.Spec != s.Envelopes() {
		return nil, fmt.Errorf("-chaos %s: a peer does not kill itself: that is for bbgen run", text)
	}
	return s, nil
}

// resend returns the initial retransmission time: on a channel that loses envelopes the node must notice
// losses.
func (s *storm) resend() int64 {
	if s == nil || s.Loss == 0 {
		return 0
	}
	return int64(15*s.Delay + 100*time.Millisecond)
}

// send is [connection.Conn.Send] with faults.
func (s *storm) send(c *connection.Conn, e *wire.Envelope) (full bool) {
	copies := 1
	switch {
	case s.chance(s.Loss):
		return false
	case s.chance(s.Corrupt):
		c.Close()
		return false
	case s.chance(s.Duplicate):
		copies = 2
	}
	for range copies {
		if s.Delay == 0 {
			full = c.Send(e)
			continue
		}
		m := wire.AppendEnvelope(nil, e)
		time.AfterFunc(s.Delay+time.Duration(s.dice.Int64N(int64(s.Delay)/2+1)), func() {
			c.Tell(m)
		})
	}
	return full
}

func (s *storm) chance(p float64) bool { return p > 0 && s.dice.Float64() < p }
