package nats

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	natsgo "github.com/nats-io/nats.go"
)

// The kinds of messages: the first byte of each.
const (
	kindOpen   = 'o' // and how many bytes may be sent before any is read: a call
	kindAccept = 'a' // and the same: the answer
	kindData   = 'd' // and bytes of the stream
	kindMore   = 'm' // and how many bytes may be sent in total: some were read
	kindEnd    = 'e' // the end: no more data, and no more reads
)

// opening returns a message that opens a connection.
func opening(kind byte, window int) []byte {
	return binary.BigEndian.AppendUint32([]byte{kind}, uint32(window))
}

// conn is one end of a connection through the broker. Received data wait in a buffer: the other end sends no
// more than the window before it is told that some were read.
type conn struct {
	b      *broker
	number uint64
	window int
	part   int // the maximum size of a message

	mu      sync.Mutex
	more    *sync.Cond // signals a change of any field below
	to      string     // the subject of the other end; "": it has not answered
	in      bytes.Buffer
	read    uint64 // in total
	told    uint64 // the part of it that was reported to the other end
	sent    uint64
	limit   uint64 // of sent
	ended   error  // why no more data are sent or received; buffered data can be read
	closed  bool   // by this end
	reading deadline
	writing deadline
}

func newConn(b *broker, number uint64, window int) *conn {
	c := &conn{b: b, number: number, window: window, part: min(largestPart, int(b.nc.MaxPayload())-1)}
	c.more = sync.NewCond(&c.mu)
	c.reading.c, c.writing.c = c, c
	return c
}

// address returns the subject of this end.
func (c *conn) address() string { return fmt.Sprint(c.b.inbox, c.number) }

// end ends the stream. The first reason is kept.
func (c *conn) end(why error) {
	if c.ended == nil {
		c.ended = why
	}
}

// fail ends the stream from outside.
func (c *conn) fail(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end(why)
	c.more.Broadcast()
}

// awaitAnswer waits until the other end has answered a call.
func (c *conn) awaitAnswer(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { c.fail(context.Cause(ctx)) })
	defer stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.to == "" && c.ended == nil {
		c.more.Wait()
	}
	if c.to == "" {
		return c.ended
	}
	return nil
}

// take handles a message of the other end, or of the broker about it.
func (c *conn) take(m *natsgo.Msg) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case len(m.Data) == 0 && m.Header.Get("Status") == "503":
		c.end(errNobody)
	case len(m.Data) == 0 || c.ended != nil:
	default:
		c.hear(m.Data[0], m.Data[1:], m.Reply)
	}
	c.more.Broadcast()
}

func (c *conn) hear(kind byte, b []byte, from string) {
	switch {
	case kind == kindAccept && c.to == "" && len(b) == 4 && from != "":
		c.to, c.limit = from, uint64(binary.BigEndian.Uint32(b))
	case kind == kindData && c.in.Len()+len(b) <= c.window:
		c.in.Write(b)
	case kind == kindMore && len(b) == 8:
		c.limit = max(c.limit, binary.BigEndian.Uint64(b))
	case kind == kindEnd && c.to == "":
		c.end(errRefused)
	case kind == kindEnd:
		c.end(io.EOF)
	default:
		c.end(fmt.Errorf("a message of kind %q with %d bytes is not for now", kind, len(b)))
	}
}

// Read reads buffered data, even after the end of the stream.
func (c *conn) Read(p []byte) (int, error) {
	n, more, err := c.next(p)
	if more > 0 {
		c.b.nc.PublishRequest(c.to, c.address(), binary.BigEndian.AppendUint64([]byte{kindMore}, more))
	}
	return n, err
}

// next waits for bytes. It also returns the new total limit for the other end, if that should be reported.
func (c *conn) next(p []byte) (n int, more uint64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.in.Len() == 0 || c.closed || c.reading.passed {
		switch {
		case c.closed:
			return 0, 0, net.ErrClosed
		case c.reading.passed:
			return 0, 0, os.ErrDeadlineExceeded
		case c.ended != nil:
			return 0, 0, c.ended
		}
		c.more.Wait()
	}
	n, _ = c.in.Read(p)
	if c.read += uint64(n); c.read-c.told >= uint64(c.window)/2 && c.ended == nil {
		c.told = c.read
		more = c.read + uint64(c.window)
	}
	return n, more, nil
}

// Write writes all of p, in parts that the broker accepts and the other end has room for.
func (c *conn) Write(p []byte) (n int, err error) {
	for n < len(p) {
		k, err := c.room(len(p) - n)
		if err != nil {
			return n, err
		}
		if err := c.b.nc.PublishRequest(c.to, c.address(), append([]byte{kindData}, p[n:n+k]...)); err != nil {
			return n, err
		}
		n += k
	}
	return n, nil
}

// room waits until some bytes may be sent, and reserves up to want of them.
func (c *conn) room(want int) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		switch {
		case c.closed, c.ended == io.EOF:
			return 0, net.ErrClosed
		case c.ended != nil:
			return 0, c.ended
		case c.writing.passed:
			return 0, os.ErrDeadlineExceeded
		case c.sent < c.limit:
			k := min(want, int(min(uint64(c.part), c.limit-c.sent))) // the limit is what the other end says
			c.sent += uint64(k)
			return k, nil
		}
		c.more.Wait()
	}
}

// Close ends the connection at once; the other end can read data written before.
func (c *conn) Close() error {
	c.mu.Lock()
	before := c.closed
	c.closed = true
	c.reading.set(time.Time{})
	c.writing.set(time.Time{})
	to, over := c.to, c.ended
	c.more.Broadcast()
	c.mu.Unlock()
	if before {
		return nil
	}
	c.b.forget(c)
	if to != "" && !errors.Is(over, errBroker) {
		c.b.nc.Publish(to, []byte{kindEnd})
	}
	return nil
}

// endpoint is the address of an end of a connection: its process.
type endpoint string

func (endpoint) Network() string  { return "nats" }
func (e endpoint) String() string { return string(e) }

func (c *conn) LocalAddr() net.Addr { return endpoint(strings.TrimSuffix(c.b.inbox, ".")) }

func (c *conn) RemoteAddr() net.Addr {
	c.mu.Lock()
	defer c.mu.Unlock()
	return endpoint(c.to[:max(0, strings.LastIndexByte(c.to, '.'))])
}

func (c *conn) SetDeadline(t time.Time) error {
	c.SetReadDeadline(t)
	return c.SetWriteDeadline(t)
}

func (c *conn) SetReadDeadline(t time.Time) error  { return c.setDeadline(&c.reading, t) }
func (c *conn) SetWriteDeadline(t time.Time) error { return c.setDeadline(&c.writing, t) }

func (c *conn) setDeadline(d *deadline, t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return net.ErrClosed
	}
	d.set(t)
	c.more.Broadcast()
	return nil
}
