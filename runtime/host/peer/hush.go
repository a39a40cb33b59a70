package peer

import (
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// hush keeps others from filling logs: of what a peer can bring about as often as it
// likes, only so much is written down. The next line that is says how many were not.
type hush map[complaint]*tap

// complaint is something that may happen too often.
type complaint struct {
	kind string
	peer wire.PeerID // zero: any that is not a member, or nobody
}

// tap lets through so many at once, and then so many in a second.
type tap struct {
	level   float64
	last    time.Time
	dropped uint64
}

const (
	hushBurst = 100
	hushRate  = 10
)

// kinds of events that peers bring about by what they send, or by sending nothing: one
// that never comes back is missing in each round.
func brought(k runtime.EventKind) bool {
	return k == runtime.Refused || k == runtime.Late || k == runtime.Overflow || k == runtime.Missing
}

// pass reports whether one more may be written down, and how many were not since the
// last one that was.
func (h hush) pass(c complaint, now time.Time) (dropped uint64, ok bool) {
	t := h[c]
	if t == nil {
		t = &tap{level: hushBurst, last: now}
		h[c] = t
	}
	t.level = min(hushBurst, t.level+now.Sub(t.last).Seconds()*hushRate)
	t.last = now
	if t.level < 1 {
		t.dropped++
		return 0, false
	}
	t.level--
	dropped, t.dropped = t.dropped, 0
	return dropped, true
}
