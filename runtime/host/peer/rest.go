package peer

import (
	"errors"
	"fmt"
	"time"
)

// ErrRest means that a peer may not connect for a while, because its messages on a new connection would end
// that one, too.
var ErrRest = errors.New("the peer must wait")

// How long a peer must wait at first, and at most. The time doubles until a payload of the peer gets a place,
// or the peer has given no reason for the maximum time.
const (
	firstRest = 100 * time.Millisecond
	maxRest   = 10 * time.Second
)

// rest closes the connection to a peer for a while, with a reason.
func (h *host) rest(l *link, err error) {
	if h.now()-l.restTil > int64(maxRest) {
		l.rests = 0
	}
	d := min(firstRest<<min(l.rests, 16), maxRest)
	l.rests++
	l.restTil, l.restFor = h.now()+int64(d), err
	if l.conn != nil {
		l.conn.close()
	}
	h.log.Warn("a peer must wait", "peer", l.ID, "for", d, "err", err)
}

// resting returns an error if a peer must still wait.
func (h *host) resting(l *link) error {
	if left := l.restTil - h.now(); left > 0 {
		return fmt.Errorf("peer %v: %w, %d ms more: %w", l.ID, ErrRest, left/1e6+1, l.restFor)
	}
	return nil
}

// rested records that a payload of a peer got a place.
func (l *link) rested() { l.rests = 0 }

// dialRested dials a peer when it need not wait any more.
func (h *host) dialRested(l *link, err error) {
	h.node.DialFailed(h.now(), l.ID, err)
	h.redial(l)
}
