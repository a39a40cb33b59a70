package nats

import (
	"context"
	"errors"
	"net"
	"sync"

	"github.com/bbgen/bbgen/runtime/host/channel"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

// New starts a transport through brokers.
func New(c peer.TransportConfig) (peer.Transport, error) {
	return channel.New(c, &network{config: c, self: peer.IDOf(c.Key), brokers: map[string]*broker{}})
}

// network holds the brokers of a peer.
type network struct {
	config peer.TransportConfig
	self   wire.PeerID

	mu      sync.Mutex
	brokers map[string]*broker // by host and port
	closed  bool
}

func (n *network) Listen(a wire.Address) (channel.Listener, error) {
	at, err := parse(a)
	if err != nil {
		return nil, err
	}
	b, err := n.broker(context.Background(), at)
	if err != nil {
		return nil, err
	}
	if at.name == "" {
		at.name = n.self.String()
	}
	return b.listen(at, n.self)
}

func (n *network) Dial(ctx context.Context, a wire.Address, to wire.PeerID) (net.Conn, error) {
	at, err := parse(a)
	switch {
	case err != nil:
		return nil, err
	case at.name == "" && to.IsZero():
		return nil, errors.New("many peers are at " + string(a) + ": want /nats/NAME behind it, or whose it is")
	case at.name == "":
		at.name = to.String()
	}
	b, err := n.broker(ctx, at)
	if err != nil {
		return nil, err
	}
	return b.dial(ctx, at.name)
}

// broker returns the connection to a broker, which is opened once.
func (n *network) broker(ctx context.Context, at place) (*broker, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return nil, peer.ErrClosed
	}
	if b := n.brokers[at.broker]; b != nil {
		return b, nil
	}
	b, err := connect(ctx, at.broker, n.config.Log)
	if err == nil {
		n.brokers[at.broker] = b
	}
	return b, err
}

func (n *network) Close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed = true
	for _, b := range n.brokers {
		b.close()
	}
	n.brokers = nil
	return nil
}
