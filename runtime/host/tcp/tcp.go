package tcp

import (
	"context"
	"net"

	"github.com/bbgen/bbgen/runtime/host/channel"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

// New starts a transport over TCP.
func New(c peer.TransportConfig) (peer.Transport, error) {
	return channel.New(c, network{peer.IDOf(c.Key)})
}

// network is the network of a peer.
type network struct{ self wire.PeerID }

func (n network) Listen(a wire.Address) ([]channel.Listener, error) {
	at, err := channel.HostPort(a)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", at)
	if err != nil {
		return nil, err
	}
	list := []channel.Listener{listener{l, n.self}}
	if near := listenNear(portOf(l.Addr().String()), n.self); near != nil {
		list = append(list, near)
	}
	return list, nil
}

func (network) Dial(ctx context.Context, a wire.Address, to wire.PeerID) (net.Conn, error) {
	at, err := channel.HostPort(a)
	if err != nil {
		return nil, err
	}
	if c := dialNear(ctx, portOf(at), to); c != nil {
		return c, nil
	}
	var d net.Dialer
	return d.DialContext(ctx, "tcp", at)
}

// Parallel reports that several connections to a peer can carry more than one.
func (network) Parallel() bool { return true }

func (network) Close() error { return nil }

// listener is a place at which a peer listens.
type listener struct {
	net.Listener
	self wire.PeerID
}

func (l listener) Addresses() []wire.Address { return dialable(l.Addr(), l.self) }
