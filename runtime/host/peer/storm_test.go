package peer

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bbgen/bbgen/runtime/wire"
)

// closingStream counts how often it was closed.
type closingStream struct {
	deadStream
	closed *int
}

func (s closingStream) Close() error {
	*s.closed++
	return nil
}

// TestStorm: -chaos loses, repeats and damages as many envelopes as it says, and nothing without it. The same seed and
// rank give the same faults.
func TestStorm(t *testing.T) {
	const n = 10000
	play := func(text string, seed uint64, rank int) (bytes, closed int) {
		t.Helper()
		s, err := newStorm(text, seed, rank)
		if err != nil {
			t.Fatal(err)
		}
		h := newPagesHost(t)
		stream := closingStream{closed: &closed}
		c := newTestConn(h, stream, wire.Hello{}, false)
		for range n {
			s.send(c, &wire.Envelope{Seq: 1})
		}
		return c.Out.Unwritten(), closed
	}
	one := func() int {
		h := newPagesHost(t)
		c := newTestConn(h, deadStream{}, wire.Hello{}, false)
		c.Send(&wire.Envelope{Seq: 1})
		return c.Out.Unwritten()
	}()
	for _, c := range []struct {
		text           string
		copies, closed float64 // of each envelope
	}{
		{"loss=10%", 0.9, 0},
		{"duplicate=20%", 1.2, 0},
		{"corrupt=5%", 0.95, 0.05},
		{"loss=100%", 0, 0},
		{"loss=50%,duplicate=50%", 0.75, 0},
	} {
		bytes, closed := play(c.text, 1, 0)
		if copies := float64(bytes) / float64(n*one); !(math.Abs(copies-c.copies) <= 0.03) {
			t.Errorf("%s: %.3f copies of each envelope, want %v", c.text, copies, c.copies)
		}
		if got := float64(closed) / n; !(math.Abs(got-c.closed) <= 0.01) {
			t.Errorf("%s: %.3f of the envelopes close the connection, want %v", c.text, got, c.closed)
		}
		again, _ := play(c.text, 1, 0)
		if again != bytes {
			t.Errorf("%s: %d bytes, then %d with the same seed", c.text, bytes, again)
		}
	}
	a, _ := play("loss=10%", 1, 0)
	b, _ := play("loss=10%", 1, 1)
	if a == b {
		t.Errorf("two peers lose the same envelopes: %d bytes", a)
	}
}

// TestStormDelays: an envelope is late by the time of -chaos, and up to half as much again.
func TestStormDelays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := newStorm("delay=100ms,duplicate=100%", 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		h := newPagesHost(t)
		defer h.cancel()
		c := newTestConn(h, deadStream{}, wire.Hello{}, false)
		s.send(c, &wire.Envelope{Seq: 1})
		pass(100*time.Millisecond - 1)
		if n := c.Out.Unwritten(); n != 0 {
			t.Errorf("%d bytes come early", n)
		}
		pass(50*time.Millisecond + 1)
		late := c.Out.Unwritten()
		c.Send(&wire.Envelope{Seq: 1})
		if one := c.Out.Unwritten() - late; late != 2*one {
			t.Errorf("%d bytes come late, want two envelopes of %d", late, one)
		}
	})
}

// TestStormOptions shows what -chaos takes, and how long the node waits before it sends an envelope again.
func TestStormOptions(t *testing.T) {
	for text, want := range map[string]int64{"": 0, "delay=10ms": 0, "loss=1%": int64(100 * time.Millisecond), "loss=1%,delay=10ms": int64(250 * time.Millisecond)} {
		s, err := newStorm(text, 0, 0)
		if err != nil || s.resend() != want {
			t.Errorf("-chaos %s: %v, sent again after %d, want %d", text, err, s.resend(), want)
		}
	}
	for text, want := range map[string]string{
		"loss":            `-chaos: loss: "" is no probability above 0, as in 20% or 0.2`,
		"rain=10%":        `-chaos: "rain=10%" is not known, want some of kill=P, loss=P, duplicate=P, corrupt=P, delay=TIME, faults=N`,
		"kill=10%":        "-chaos kill=10%: a peer does not kill itself: that is for bbgen run",
		"loss=1%,kill=1%": "-chaos loss=1%,kill=1%: a peer does not kill itself: that is for bbgen run",
	} {
		if _, err := newStorm(text, 0, 0); err == nil || err.Error() != want {
			t.Errorf("-chaos %s: got %v, want %s", text, err, want)
		}
	}
}
