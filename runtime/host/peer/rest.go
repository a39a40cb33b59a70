package peer

import (
	"errors"
	"fmt"
	"time"
)

// ErrRest is why a peer may not connect for a while: what it would send on a new
// connection is what ended the one before.
var ErrRest = errors.New("the peer must wait")

// How long a peer must wait at first, and at most. It doubles until a payload of it finds
// its place, or the peer has given no reason for as long as it may take at most.
const (
	firstRest = 100 * time.Millisecond
	maxRest   = 10 * time.Second
)

// rest ends the connection to a peer for a while, and says why.
func (h *host) rest(l *link, err error) {
	if h.now()-l.restTil > int64(maxRest) {
		l.rests = 0
	}
	d := min(firstRest<<min(l.rests, 16), maxRest)
	l.rests++
	l.restTil, l.restFor = h.now()+int64(d), err
	if l.conn != nil {
		l.conn.s.Close()
	}
	h.log.Warn("a peer must wait", "peer", l.ID, "for", d, "err", err)
}

// resting says that a peer must still wait, if so.
func (h *host) resting(l *link) error {
	if left := l.restTil - h.now(); left > 0 {
		return fmt.Errorf("peer %v: %w, %d ms more: %w", l.ID, ErrRest, left/1e6+1, l.restFor)
	}
	return nil
}

// rested says that a payload of a peer has found its place.
func (l *link) rested() { l.rests = 0 }

// dialRested dials a peer when it need not wait any more.
func (h *host) dialRested(l *link, err error) {
	h.node.DialFailed(h.now(), l.ID, err)
	h.redial(l)
}
