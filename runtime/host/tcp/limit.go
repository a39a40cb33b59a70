package tcp

import (
	"net"
	"slices"
)

// unproven notes a connection whose key is not proven. When there are too many of
// those, the oldest is closed: whoever opens connections and says nothing shuts
// out himself first.
func (t *transport) unproven(c net.Conn) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		c.Close()
		return false
	}
	if n := t.config.Handshakes; n > 0 && len(t.early) >= n {
		t.early[0].Close()
		delete(t.open, t.early[0])
		t.early = slices.Delete(t.early, 0, 1)
	}
	t.early = append(t.early, c)
	t.open[c] = true
	return true
}

// proven notes that the other end of a connection is known. It is false when the
// transport is closed.
func (t *transport) proven(c net.Conn) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.early = slices.DeleteFunc(t.early, func(x net.Conn) bool { return x == c })
	if t.closed {
		c.Close()
		return false
	}
	t.open[c] = true
	return true
}

// forget closes a connection.
func (t *transport) forget(c net.Conn) {
	c.Close()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.early = slices.DeleteFunc(t.early, func(x net.Conn) bool { return x == c })
	delete(t.open, c)
}
