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

// tap is a limit of lines, and how many are over it.
type tap struct {
	bucket
	dropped uint64
}

// At once, and in a second.
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
		t = &tap{}
		h[c] = t
	}
	if !t.take(now, hushBurst, hushRate) {
		t.dropped++
		return 0, false
	}
	dropped, t.dropped = t.dropped, 0
	return dropped, true
}
