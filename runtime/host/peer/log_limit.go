package peer

import (
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/wire"
)

// logLimits are rate limits of the log, so that no peer fills it: of what a peer can bring
// about as often as it likes, only so much is written. The next line that is written says
// how many were not.
type logLimits map[complaint]*logLimit

// complaint is something that may happen too often.
type complaint struct {
	kind string
	peer wire.PeerID // zero: any that is not a member, or nobody
}

// logLimit is the rate limit of one kind of line, and how many lines were over it.
type logLimit struct {
	conversation.Bucket
	dropped uint64
}

// How many lines of one kind are written at once, and in a second.
const (
	logBurst = 100
	logRate  = 10
)

// brought reports whether peers bring about events of a kind by what they send, or by
// sending nothing: a peer that never comes back is missing in each round.
func brought(k runtime.EventKind) bool {
	return k == runtime.Refused || k == runtime.Late || k == runtime.Overflow || k == runtime.Missing
}

// pass reports whether one more may be written down, and how many were not since the
// last one that was.
func (l logLimits) pass(c complaint, now time.Time) (dropped uint64, ok bool) {
	t := l[c]
	if t == nil {
		t = &logLimit{}
		l[c] = t
	}
	if !t.Take(now, logBurst, logRate) {
		t.dropped++
		return 0, false
	}
	dropped, t.dropped = t.dropped, 0
	return dropped, true
}
