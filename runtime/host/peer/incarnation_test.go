package peer

import (
	"math"
	"testing"
	"time"
)

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
		h.surpass(l, &overError{"it is over", tt.known})
		if h.hello.Incarnation != tt.want {
			t.Errorf("%s: got %d, want %d", tt.name, h.hello.Incarnation, tt.want)
		}
	}
}
