package peer

import (
	"errors"
	"fmt"
	"time"
)

// errNoPlace is why a peer must wait: what it sends cannot be kept, as the disk is full,
// or there are too many files, or the peer has its share of both.
var errNoPlace = errors.New("there is no place for its payloads")

// How long a peer must wait for whose payloads there is no place: what it would send on
// a new connection is what there was no place for. It doubles until one finds a place.
const (
	firstRest = 100 * time.Millisecond
	maxRest   = 10 * time.Second
)

// rest ends the connection to a peer, for a while.
func (h *host) rest(l *link, err error) {
	d := min(firstRest<<min(l.rests, 16), maxRest)
	l.rests++
	l.restTil = h.now() + int64(d)
	if l.conn != nil {
		l.conn.s.Close()
	}
	h.log.Warn("a peer must wait", "peer", l.ID, "for", d, "err", err)
}

// resting says that a peer must still wait, if so.
func (h *host) resting(l *link) error {
	if left := l.restTil - h.now(); left > 0 {
		return fmt.Errorf("peer %v: %w: wait %d ms more", l.ID, errNoPlace, left/1e6+1)
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
