package peer

import (
	"errors"
	"fmt"
	"time"

	"github.com/bbgen/bbgen/runtime"
)

// clock detects changes of the machine's clock. Timers use time that never jumps; invitations and recorded
// times do not.
type clock struct {
	began time.Time
	ahead time.Duration // the part of the difference that was reported
}

// minJump is the smallest jump that is reported: NTP constantly makes smaller corrections.
const minJump = 2 * time.Second

// jumped returns by how much the clock was changed since the last call. Passed is time that does not jump.
func (c *clock) jumped(now time.Time, passed time.Duration) time.Duration {
	ahead := now.Round(0).Sub(c.began.Round(0)) - passed
	d := ahead - c.ahead
	if d.Abs() < minJump {
		return 0
	}
	c.ahead = ahead
	return d
}

// watchClock reports a change of the clock.
func (h *host) watchClock() {
	now := time.Now()
	if d := h.clock.jumped(now, now.Sub(h.clock.began)); d != 0 {
		h.log.Warn("the clock was set, or the machine slept: invitations expire by it", "by", d)
	}
}

// overError refuses a peer whose incarnation is outdated: the other end knows a later one.
type overError struct {
	text  string
	known uint64
}

func (e *overError) Error() string { return fmt.Sprintf("%v: %s", ErrRefused, e.text) }

func (e *overError) Unwrap() error { return ErrRefused }

// knownTo returns the incarnation that is reported to a refused peer, if it is refused for that.
func (h *host) knownTo(l *link, err error) uint64 {
	if l == nil || !errors.Is(err, runtime.ErrIncarnation) {
		return 0
	}
	return l.incarnation
}

// maxClockError bounds the error of a clock. If a peer reports an incarnation far beyond that, it is ignored:
// otherwise no larger incarnations would be left.
const maxClockError = 100 * 365 * 24 * time.Hour

// surpass chooses an incarnation above the one that a peer knows. Without a state directory the incarnation is
// the time, and an earlier clock may have been ahead. If a peer has been connected before, the clock was right:
// another process has its key.
func (h *host) surpass(l *link, err error) {
	var over *overError
	if !errors.As(err, &over) || !l.since.IsZero() || over.known < h.hello.Incarnation {
		return
	}
	if over.known > uint64(time.Now().Add(maxClockError).UnixNano()) {
		h.log.Error("a peer has stored an incarnation that no correct clock gives", "peer", l.ID, "incarnation", over.known)
		return
	}
	h.hello.Incarnation = over.known + 1
	h.log.Warn("the clock was ahead once: the peer takes a later incarnation than the time says", "known to", l.ID, "incarnation", h.hello.Incarnation)
}
