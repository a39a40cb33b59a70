package channel

import (
	"net"
	"sync"
)

// A write of some records of TLS is given to the system at once: TLS writes each record by itself, and the other end
// would wake up for each. One record needs no copy, and for many a copy costs more than their system calls.
const (
	record = 16 << 10
	atOnce = 80 << 10
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
	b := make([]byte, 0, atOnce+1<<10)
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
func (s *stream) Write(b []byte) (int, error) {
	if len(b) <= record || len(b) > atOnce {
		return s.Conn.Write(b)
	}
	return s.joined.writeAtOnce(func() (int, error) { return s.Conn.Write(b) })
}
