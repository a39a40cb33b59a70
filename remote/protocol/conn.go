package protocol

import (
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Stream is what streams between a client and a server are opened for.
const Stream peer.Protocol = "/bbgen/remote/1"

// Version is that of the conversation.
const Version = 1

const (
	stall    = 30 * time.Second // how long the next bytes of a message may be waited for, in either direction
	together = 64 << 10         // what is smaller goes out in one piece with its message
	piece    = 1 << 20          // what is larger goes out in pieces, each of which may take so long
)

// Conn carries messages on a stream. One goroutine may read while another writes.
type Conn struct {
	peer.Stream
	frames *peer.Frames
	lim    *Limits
	in     []byte
	out    []byte
}

// newConn carries messages on a stream whose ends have exchanged Hellos.
func newConn(s peer.Stream, f *peer.Frames, lim *Limits) *Conn {
	return &Conn{Stream: s, frames: f, lim: lim}
}

// SetIdle says how long the next message may be waited for; 0 is for ever.
func (c *Conn) SetIdle(d time.Duration) { c.frames.SetIdle(d) }

// Receive returns the next message. What follows it must be read, with Fill or Skip, before
// the next.
func (c *Conn) Receive() (*Message, error) {
	b, err := c.frames.Next(c.in[:0], c.lim.Message)
	if err != nil {
		return nil, err
	}
	c.in = b
	m, err := Consume(b, c.lim)
	if err == nil {
		m.Blob = append([]byte(nil), m.Blob...) // b is used again
	}
	return m, err
}

// Fill reads bytes that follow the message.
func (c *Conn) Fill(b []byte) error { return c.frames.Fill(b) }

// Skip forgets bytes that follow the message.
func (c *Conn) Skip(n uint64) error { return c.frames.Skip(int64(n)) }

// Send writes a message and what follows it.
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
