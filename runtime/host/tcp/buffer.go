package tcp

import (
	"net"
	"sync"
)

// buffered gathers the records that TLS writes during one Write of a stream, so
// that the kernel is asked once for several.
type buffered struct {
	net.Conn
	mu     sync.Mutex // TLS writes alerts from the reading side
	buf    []byte
	gather bool
}

const gatherBytes = 64 << 10

func (b *buffered) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.gather {
		return b.Conn.Write(p)
	}
	b.buf = append(b.buf, p...)
	if len(b.buf) < gatherBytes {
		return len(p), nil
	}
	if err := b.flushLocked(); err != nil {
		return 0, err
	}
	return len(p), nil
}

// hold gathers what is written from now on.
func (b *buffered) hold() {
	b.mu.Lock()
	b.gather = true
	b.mu.Unlock()
}

// flush writes what was gathered, and gathers no more.
func (b *buffered) flush() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.gather = false
	return b.flushLocked()
}

func (b *buffered) flushLocked() error {
	if len(b.buf) == 0 {
		return nil
	}
	_, err := b.Conn.Write(b.buf)
	b.buf = b.buf[:0]
	return err
}
