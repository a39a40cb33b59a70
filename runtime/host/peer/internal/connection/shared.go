package connection

import (
	"context"
	"io"
	"sync/atomic"
	"time"

	"github.com/bbgen/bbgen/runtime/host/internal/mailbox"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Shared is the part of a host that all of its goroutines use.
type Shared struct {
	Limits  limits.Limits
	Times   Times
	Began   time.Time
	Mail    *mailbox.Mailbox
	Streams atomic.Int64    // the number of peers with a connection
	Ctx     context.Context // done when the host ends
}

// Times are the time limits of connections.
type Times struct {
	Dial, Hello, Stall time.Duration
	Ping               time.Duration // between pings
	Drain              time.Duration // for the last messages to be read
}

// DefaultTimes returns the time limits of a host without options.
func DefaultTimes() Times {
	return Times{Dial: 10 * time.Second, Hello: 10 * time.Second, Stall: 30 * time.Second, Ping: time.Second, Drain: time.Second / 2}
}

// Now returns the node's time.
func (s *Shared) Now() int64 { return int64(time.Since(s.Began)) }

// Post makes the loop call do.
func (s *Shared) Post(do func()) { s.Mail.Post(mailbox.NewNote(do)) }

// Ask makes the loop call do, and waits for it. It returns false if the host has ended.
func (s *Shared) Ask(do func()) bool {
	done := make(chan struct{})
	s.Post(func() {
		do()
		close(done)
	})
	select {
	case <-done:
		return true
	case <-s.Ctx.Done():
		return false
	}
}

// pingShare is the interval of pings for each connected peer. So a peer with thousands of others sends and answers a
// thousand pings a second, whatever their number: more would take most of its time.
const pingShare = time.Millisecond

// Heartbeat returns the interval of pings of this host, and of other work for each peer. It is safe for concurrent use.
func (s *Shared) Heartbeat() time.Duration {
	return max(s.Times.Ping, time.Duration(s.Streams.Load())*pingShare)
}

// Account is what is counted and kept of a peer over all its connections.
type Account struct {
	Sent, Received atomic.Int64         // bytes
	Waste          conversation.Waste   // of the peer's messages
	Inbound        conversation.Inbound // payloads
}

// A Stream is a channel of bytes to one peer, which may be read and written at once. Close ends both.
type Stream interface {
	io.ReadWriteCloser
	Peer() wire.PeerID // proven by the channel
	SetReadDeadline(t time.Time) error
	SetWriteDeadline(t time.Time) error
}
