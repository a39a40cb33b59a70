package channel

import (
	"net"
	"sync"
)

// Records of TLS are given to the system several at once: TLS writes each by itself, and the other end would wake up for each.
// One record needs no copy. More bytes than atOnce are divided, so that the other end decrypts the first ones meanwhile.
const (
	record = 16 << 10
	atOnce = 256 << 10
)

// joined is a connection that can keep what is written, and write it at once.
type joined struct {
	net.Conn
	turn sync.Mutex // of what is written at once

	mu    sync.Mutex
	keeps bool
	kept  []byte
	err   error // of a write of what was kept: what follows would not be understood
}

// kepts are buffers for what is kept. A connection has one only while it writes.
var kepts = sync.Pool{New: func() any {
	b := make([]byte, 0, atOnce+atOnce/16)
	return &b
}}

// Write writes b, or keeps it.
func (c *joined) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.err != nil:
		return 0, c.err
	case !c.keeps:
		return c.Conn.Write(b)
	}
	c.kept = append(c.kept, b...)
	return len(b), nil
}

// writeAtOnce calls write and writes what it writes to the connection at once.
func (c *joined) writeAtOnce(write func() (int, error)) (int, error) {
	c.turn.Lock()
	defer c.turn.Unlock()
	buffer := kepts.Get().(*[]byte)
	c.mu.Lock()
	c.keeps, c.kept = true, (*buffer)[:0]
	c.mu.Unlock()
	n, err := write()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.kept) > 0 && c.err == nil {
		_, c.err = c.Conn.Write(c.kept)
	}
	if err == nil {
		err = c.err
	}
	*buffer = c.kept[:0]
	c.keeps, c.kept = false, nil
	kepts.Put(buffer)
	return n, err
}

// Write writes b.
func (s *stream) Write(b []byte) (n int, err error) {
	for len(b)-n > record && err == nil {
		part := b[n:min(n+atOnce, len(b))]
		var k int
		k, err = s.joined.writeAtOnce(func() (int, error) { return s.Conn.Write(part) })
		n += k
	}
	if err != nil || n == len(b) && n > 0 {
		return n, err
	}
	k, err := s.Conn.Write(b[n:])
	return n + k, err
}
