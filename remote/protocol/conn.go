package protocol

import (
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Stream is the protocol of streams between clients and servers.
const Stream peer.Protocol = "/bbgen/remote/1"

// Version is the version of the protocol.
const Version = 1

const (
	stall    = 30 * time.Second // the longest pause in a message, in either direction
	together = 64 << 10         // smaller data are written together with their message
	piece    = 1 << 20          // larger data are written in pieces, each within stall
)

// Conn carries messages on a stream. One goroutine may read while another writes.
type Conn struct {
	peer.Stream
	frames *peer.Frames
	lim    *Limits
	in     []byte
	out    []byte
}

// newConn returns a connection on a stream after the Hellos.
func newConn(s peer.Stream, f *peer.Frames, lim *Limits) *Conn {
	return &Conn{Stream: s, frames: f, lim: lim}
}

// SetIdle sets the time limit for the next message; 0 is none.
func (c *Conn) SetIdle(d time.Duration) { c.frames.SetIdle(d) }

// Receive returns the next message. The data after it must be read, with Fill or Skip, before the next call.
func (c *Conn) Receive() (*Message, error) {
	b, err := c.frames.Next(c.in[:0], c.lim.Message)
	if err != nil {
		return nil, err
	}
	c.in = b
	m, err := Consume(b, c.lim)
	if err == nil {
		m.Blob = append([]byte(nil), m.Blob...) // b is reused
	}
	return m, err
}

// Fill reads data after the message.
func (c *Conn) Fill(b []byte) error { return c.frames.Fill(b) }

// Skip skips data after the message.
func (c *Conn) Skip(n uint64) error { return c.frames.Skip(int64(n)) }

// Send writes a message and the data after it.
func (c *Conn) Send(m *Message, parts ...[]byte) error {
	c.out = Append(c.out[:0], m)
	head := wire.AppendLength(nil, len(c.out))
	c.out = append(head, c.out...)
	if m.Bytes <= together {
		for _, p := range parts {
			c.out = append(c.out, p...)
		}
		return c.write(c.out)
	}
	if err := c.write(c.out); err != nil {
		return err
	}
	for _, p := range parts {
		for len(p) > 0 {
			n := min(len(p), piece)
			if err := c.write(p[:n]); err != nil {
				return err
			}
			p = p[n:]
		}
	}
	return nil
}

func (c *Conn) write(b []byte) error {
	if err := c.SetWriteDeadline(time.Now().Add(stall)); err != nil {
		return err
	}
	_, err := c.Stream.Write(b)
	return err
}
