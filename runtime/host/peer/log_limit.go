package peer

import (
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/wire"
)

// logLimits are rate limits of the log, so that no peer can fill it with events that it can cause at will. The
// next line that is written reports how many were dropped.
type logLimits map[complaint]*logLimit

// complaint identifies a kind of event of a peer.
type complaint struct {
	kind string
	peer wire.PeerID // zero: any peer that is not a member, or none
}

// logLimit is the rate limit of one kind of line, and the number of dropped lines.
type logLimit struct {
	conversation.Bucket
	dropped uint64
}

// How many lines of one kind are written at once, and per second.
const (
	logBurst = 100
	logRate  = 10
)

// brought reports whether peers can cause events of a kind by sending, or by not sending: a peer that never
// comes back is missing in each round.
func brought(k runtime.EventKind) bool {
	return k == runtime.Refused || k == runtime.Late || k == runtime.Overflow || k == runtime.Missing
}

// pass reports whether another line may be written, and how many were dropped since the last one.
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
