package channel

import (
	"net"
	"slices"
	"time"
)

// early is a connection whose key is not proven yet.
type early struct {
	net.Conn
	host  string // its address without the port
	since time.Time
}

// least is the time that a new connection gets to prove its key before another one takes its place.
func (t *transport) least() time.Duration { return t.config.HandshakeTimeout / 4 }

// unproven records a connection without a proven key. If there are too many it waits for a place, so that many
// peers that come at once do not push each other out of half-finished handshakes. It closes the oldest of the
// address with the most: at once if that address has more than half of the places, so that a client that opens
// silent connections loses its own first; otherwise when it has had its time.
func (t *transport) unproven(c net.Conn) bool {
	e := early{c, hostOf(c), time.Now()}
	for {
		wait, ok := t.enter(e)
		if wait <= 0 {
			return ok
		}
		select {
		case <-t.room:
		case <-time.After(wait):
		case <-t.done:
		}
	}
}

// enter records a connection if there is a place for it, or returns how long the oldest may still keep its own.
func (t *transport) enter(e early) (wait time.Duration, ok bool) {
	t.mu.Lock()
	var over net.Conn
	switch n := t.config.Handshakes; {
	case t.closed:
		over = e.Conn
	case n > 0 && len(t.early) >= n:
		i, count := surplus(t.early)
		x := t.early[i]
		if wait := t.least() - time.Since(x.since); wait > 0 && 2*count <= n {
			t.mu.Unlock()
			return wait, false
		}
		over = x.Conn
		delete(t.open, over)
		t.early = slices.Delete(t.early, i, i+1)
	}
	ok = !t.closed
	if ok {
		t.early = append(t.early, e)
		t.open[e.Conn] = true
	}
	t.mu.Unlock()
	if over != nil {
		over.Close()
	}
	return 0, ok
}

// surplus returns the index of the oldest connection of the address with the most, and how many that has.
func surplus(list []early) (at, most int) {
	count, first := map[string]int{}, map[string]int{}
	for i, c := range list {
		if count[c.host]++; count[c.host] == 1 {
			first[c.host] = i
		}
		most = max(most, count[c.host])
	}
	at = len(list)
	for host, n := range count {
		if n == most {
			at = min(at, first[host])
		}
	}
	return at, most
}

func hostOf(c net.Conn) string {
	at := c.RemoteAddr().String()
	if host, _, err := net.SplitHostPort(at); err == nil {
		return host
	}
	return at
}

// leave removes a connection from those without a proven key; t.mu is held.
func (t *transport) leave(c net.Conn) {
	i := slices.IndexFunc(t.early, func(x early) bool { return x.Conn == c })
	if i < 0 {
		return
	}
	t.early = slices.Delete(t.early, i, i+1)
	select {
	case t.room <- struct{}{}:
	default:
	}
}

// proven records that the peer of a connection is known. It returns false if the transport is closed.
func (t *transport) proven(c net.Conn) bool {
	t.mu.Lock()
	t.leave(c)
	closed := t.closed
	if !closed {
		t.open[c] = true
	}
	t.mu.Unlock()
	if closed {
		c.Close()
	}
	return !closed
}

// forget closes a connection.
func (t *transport) forget(c net.Conn) {
	c.Close()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.leave(c)
	delete(t.open, c)
}
