package peer

import (
	"context"
	"crypto/ed25519"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/bbgen/bbgen/runtime/wire"
)

// Protocol is the purpose of a stream.
type Protocol string

// The streams between two peers. The end that dials opens all, so that one of the two peers may be
// unreachable.
const (
	EnvelopeStream Protocol = "/bbgen/env/1"
	BulkStream     Protocol = "/bbgen/bulk/1"
	ParallelStream Protocol = "/bbgen/parallel/1"
)

// A Transport opens streams to peers. Its channels are encrypted, and both ends have proven the keys of their
// peer ids.
//
// It does not decide which peers are admitted: it limits what an unproven peer may cost, in connections, bytes
// and time, and leaves the rest to the host.
type Transport interface {
	// Dial opens a stream to a peer at one of its addresses. It returns [ErrWrongKey] if a peer with another
	// key answers. A zero peer id accepts any key, for a host that is configured to trust it.
	Dial(ctx context.Context, to wire.PeerID, at []wire.Address, p Protocol) (Stream, error)

	// Accept waits for a stream that a peer has opened. After Close it returns [ErrClosed].
	Accept() (Stream, error)

	// Addresses returns the addresses at which the transport can be dialed, each with its peer id.
	Addresses() []wire.Address

	// Close ends all streams.
	Close() error
}

// A Stream is a channel of bytes to one peer. One goroutine may read while another writes, and Close ends both. A write
// waits, at most until its deadline, for a reader that is some MiB behind.
type Stream interface {
	io.ReadWriteCloser
	Peer() wire.PeerID // proven by the channel
	Protocol() Protocol
	SetReadDeadline(t time.Time) error
	SetWriteDeadline(t time.Time) error
}

// TransportConfig configures a transport. The host sets it.
type TransportConfig struct {
	Key    ed25519.PrivateKey
	Listen []wire.Address // if empty, the transport only dials
	Log    *slog.Logger

	// Protocols lists the purposes of streams; none: those between peers.
	Protocols []Protocol

	// Handshakes is how many channels may be between their first byte and the proof of the key, and
	// HandshakeTimeout how long each may take.
	Handshakes       int
	HandshakeTimeout time.Duration

	// Admitted reports whether a peer may take part. Other peers can only ask for admission. It must be safe
	// for concurrent use; nil admits no peer.
	Admitted func(wire.PeerID) bool
}

// Serves returns the protocols of streams that a transport opens and accepts.
func (c *TransportConfig) Serves() []Protocol {
	if len(c.Protocols) == 0 {
		return []Protocol{EnvelopeStream, BulkStream, ParallelStream}
	}
	return c.Protocols
}

var (
	// ErrWrongKey is returned when a peer with another key answers at an address.
	ErrWrongKey = errors.New("another peer answers there")

	// ErrClosed is returned by a transport after Close.
	ErrClosed = errors.New("the transport is closed")

	// ErrNoAddress is returned when a peer without a known address is dialed.
	ErrNoAddress = errors.New("no address of the peer is known")
)
