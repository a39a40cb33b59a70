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

// Protocol says what a stream is for.
type Protocol string

// The streams between two peers. Whoever dials opens both, so that one of the
// two may be where nobody can dial.
const (
	EnvelopeStream Protocol = "/bbgen/env/1"
	BulkStream     Protocol = "/bbgen/bulk/1"
)

// Transport brings streams to peers. Its channels are encrypted, and both ends
// have proven the key that their peer id is.
//
// It decides nothing about who may talk: it bounds how much an unproven peer
// may cost, in connections, bytes and time, and leaves the rest to the host.
type Transport interface {
	// Dial opens a stream to a peer at one of its addresses. Whoever answers
	// there with another key is refused with [ErrWrongKey]. A zero peer id
	// takes whoever answers, which is for a host that has been told to.
	Dial(ctx context.Context, to wire.PeerID, at []wire.Address, p Protocol) (Stream, error)

	// Accept waits for a stream that a peer has opened. After Close it returns
	// [ErrClosed].
	Accept() (Stream, error)

	// Addresses says where the transport can be dialled, each with its peer id.
	Addresses() []wire.Address

	// Close ends all streams.
	Close() error
}

// Stream is a channel of bytes to one peer. One goroutine may read while another
// writes, and Close ends both.
type Stream interface {
	io.ReadWriteCloser
	Peer() wire.PeerID // as the channel has proven
	Protocol() Protocol
	SetReadDeadline(t time.Time) error
	SetWriteDeadline(t time.Time) error
}

// TransportConfig is what a host tells its transport.
type TransportConfig struct {
	Key    ed25519.PrivateKey
	Listen []wire.Address // none: it only dials
	Log    *slog.Logger

	// Protocols are what streams may be for; none: those between peers.
	Protocols []Protocol

	// Handshakes is how many channels may be between their first byte and the
	// proof of the key, and HandshakeTimeout how long each may take.
	Handshakes       int
	HandshakeTimeout time.Duration

	// Admitted reports whether a peer may take part. Others are served nothing but
	// what it takes to ask for that. It may be called by several goroutines; nil
	// admits nobody.
	Admitted func(wire.PeerID) bool
}

// Serves are the protocols of streams that a transport opens and accepts.
func (c *TransportConfig) Serves() []Protocol {
	if len(c.Protocols) == 0 {
		return []Protocol{EnvelopeStream, BulkStream}
	}
	return c.Protocols
}

var (
	// ErrWrongKey is why a dialled peer is not talked to: another key answered.
	ErrWrongKey = errors.New("another peer answers there")

	// ErrClosed is what a transport says after Close.
	ErrClosed = errors.New("the transport is closed")

	// ErrNoAddress is why a peer cannot be dialled.
	ErrNoAddress = errors.New("no address of the peer is known")
)
