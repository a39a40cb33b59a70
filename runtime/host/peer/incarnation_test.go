package peer

import (
	"math"
	"testing"
	"time"
)

// A peer takes an incarnation above the one that others know, if a clock may have given
// that, and it has not been heard with its own before.
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
