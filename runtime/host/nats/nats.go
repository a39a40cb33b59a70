package nats

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"

	"github.com/bbgen/bbgen/runtime/host/channel"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

// New starts a transport through brokers.
func New(c peer.TransportConfig) (peer.Transport, error) {
	return channel.New(c, &network{config: c, self: peer.IDOf(c.Key), brokers: map[string]*opened{}})
}

// network holds the brokers of a peer.
type network struct {
	config peer.TransportConfig
	self   wire.PeerID

	mu      sync.Mutex
	brokers map[string]*opened // by host and port
	closed  bool
}

// opened is a connection to a broker, or the attempt to open one.
type opened struct {
	done   chan struct{} // closed when one of the others is set
	broker *broker
	err    error
}

func (n *network) Listen(a wire.Address) ([]channel.Listener, error) {
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
	l, err := b.listen(at, n.self)
	if err != nil {
		return nil, err
	}
	return []channel.Listener{l}, nil
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

// broker returns the connection to a broker, which is opened once. Those who need it wait no longer than their contexts
// last, and hold up neither those who need another broker nor Close.
func (n *network) broker(ctx context.Context, at place) (*broker, error) {
	o, err := n.open(at.broker)
	if err != nil {
		return nil, err
	}
	select {
	case <-o.done:
		return o.broker, o.err
	case <-ctx.Done():
		return nil, fmt.Errorf("the broker at %s: %w", at.broker, context.Cause(ctx))
	}
}

// open begins to open the connection to a broker, if nobody has.
func (n *network) open(at string) (*opened, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return nil, peer.ErrClosed
	}
	o := n.brokers[at]
	if o == nil {
		o = &opened{done: make(chan struct{})}
		n.brokers[at] = o
		go n.connect(at, o)
	}
	return o, nil
}

// connect opens the connection to a broker. After a failure the next one who needs it tries again.
func (n *network) connect(at string, o *opened) {
	defer close(o.done)
	b, err := connect(at, n.config.Log)
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case err != nil:
		delete(n.brokers, at)
	case n.closed:
		b.close()
		b, err = nil, peer.ErrClosed
	}
	o.broker, o.err = b, err
}

func (n *network) Close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed = true
	for _, o := range n.brokers {
		if o.broker != nil {
			o.broker.close()
		}
	}
	n.brokers = nil
	return nil
}
