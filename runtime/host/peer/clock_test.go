package peer

import (
	"math"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer/internal/connection"
)

// A change of the clock is reported once, in either direction; a slow correction is not.
func TestClockJumps(t *testing.T) {
	began := time.Unix(1e9, 0)
	c := clock{began: began}
	set := time.Duration(0)
	for i, by := range []time.Duration{0, time.Second, time.Hour, 0, -2 * time.Hour, 0} {
		passed := time.Duration(i) * time.Second
		set += by
		want := by
		if by == time.Second {
			want = 0
		} else if by == time.Hour {
			want += time.Second // including the part that was not reported before
		}
		if got := c.jumped(began.Add(passed+set), passed); got != want {
			t.Errorf("after %v: set by %v, got %v, want %v", passed, by, got, want)
		}
	}
}

// A peer chooses an incarnation above the one that others know, if a wrong clock may have caused that one, and
// if the peer has not been connected with its own incarnation before.
func TestSurpass(t *testing.T) {
	h := newPagesHost(t)
	now := uint64(time.Now().UnixNano())
	hour := uint64(time.Hour)
	for _, tt := range []struct {
		name        string
		known, want uint64
		met         bool
	}{
		{"ahead", now + hour, now + hour + 1, false},
		{"the same", now, now + 1, false},
		{"behind", now - hour, now, false},
		{"no clock", math.MaxUint64, now, false},
		{"another process", now + hour, now, true},
	} {
		l := &link{}
		if tt.met {
			l.since = time.Now()
		}
		h.hello.Incarnation = now
		h.surpass(l, &connection.OverError{Why: "it is over", Known: tt.known})
		if h.hello.Incarnation != tt.want {
			t.Errorf("%s: got %d, want %d", tt.name, h.hello.Incarnation, tt.want)
		}
	}
}
