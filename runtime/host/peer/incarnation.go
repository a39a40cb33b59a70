package peer

import (
	"errors"
	"fmt"
	"time"

	"github.com/bbgen/bbgen/runtime"
)

// overError is why a peer is refused whose incarnation is over: the other end knows a
// later one.
type overError struct {
	text  string
	known uint64
}

func (e *overError) Error() string { return fmt.Sprintf("%v: %s", ErrRefused, e.text) }

func (e *overError) Unwrap() error { return ErrRefused }

// knownTo is the incarnation that a peer hears of which is refused, if it is refused
// for that.
func (h *host) knownTo(l *link, err error) uint64 {
	if l == nil || !errors.Is(err, runtime.ErrIncarnation) {
		return 0
	}
	return l.incarnation
}

// maxClockError bounds by how much a clock may have been wrong. What a peer says of an
// incarnation far beyond that is no reason to take one: none would be left.
const maxClockError = 100 * 365 * 24 * time.Hour

// surpass takes an incarnation above one that a peer knows: without a state directory it
// is the time, and the clock was ahead. A peer that has been connected before has not
// been wrong: another process has its key.
func (h *host) surpass(l *link, err error) {
	var over *overError
	if !errors.As(err, &over) || !l.since.IsZero() || over.known < h.hello.Incarnation {
		return
	}
	if over.known > uint64(time.Now().Add(maxClockError).UnixNano()) {
		h.log.Error("a peer knows an incarnation that no clock gives", "peer", l.ID, "incarnation", over.known)
		return
	}
	h.hello.Incarnation = over.known + 1
	h.log.Warn("the clock was ahead once: the peer takes a later incarnation than the time says", "known to", l.ID, "incarnation", h.hello.Incarnation)
}
