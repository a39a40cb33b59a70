package channel

import (
	"net"
	"slices"
)

// unproven records a connection without a proven key. If there are too many, it closes the oldest of the
// address with the most, so that a client that opens silent connections loses its own first.
func (t *transport) unproven(c net.Conn) bool {
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		c.Close()
		return false
	}
	var over net.Conn
	if n := t.config.Handshakes; n > 0 && len(t.early) >= n {
		i := surplus(t.early)
		over = t.early[i]
		delete(t.open, over)
		t.early = slices.Delete(t.early, i, i+1)
	}
	t.early = append(t.early, c)
	t.open[c] = true
	t.mu.Unlock()
	if over != nil {
		over.Close()
	}
	return true
}

// surplus returns the index of the oldest connection of the address with the most.
func surplus(list []net.Conn) int {
	count, first, most := map[string]int{}, map[string]int{}, 0
	for i, c := range list {
		host, _, err := net.SplitHostPort(c.RemoteAddr().String())
		if err != nil {
			host = c.RemoteAddr().String()
		}
		if count[host]++; count[host] == 1 {
			first[host] = i
		}
		most = max(most, count[host])
	}
	at := len(list)
	for host, n := range count {
		if n == most {
			at = min(at, first[host])
		}
	}
	return at
}

// proven records that the peer of a connection is known. It returns false if the transport is closed.
func (t *transport) proven(c net.Conn) bool {
	t.mu.Lock()
	t.early = slices.DeleteFunc(t.early, func(x net.Conn) bool { return x == c })
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
	t.early = slices.DeleteFunc(t.early, func(x net.Conn) bool { return x == c })
	delete(t.open, c)
}
