// Package plain is a transport over TCP without encryption, to measure the costs of encryption. Both ends
// send their ids without a proof. It is only for benchmarks.
package plain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"

	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

// transport is a [peer.Transport].
type transport struct {
	config   peer.TransportConfig
	id       wire.PeerID
	listener net.Listener // nil: the transport only dials
	accepted chan *stream
	done     chan struct{}

	mu   sync.Mutex
	open map[net.Conn]bool // nil: the transport is closed
}

// New starts a transport over bare TCP.
func New(c peer.TransportConfig) (peer.Transport, error) {
	t := &transport{config: c, id: peer.IDOf(c.Key), accepted: make(chan *stream), done: make(chan struct{}), open: map[net.Conn]bool{}}
	if len(c.Listen) == 0 {
		return t, nil
	}
	at, err := hostPort(c.Listen[0])
	if err != nil {
		return nil, err
	}
	if t.listener, err = net.Listen("tcp", at); err != nil {
		return nil, err
	}
	go t.listen()
	return t, nil
}

// hostPort parses /ip4/127.0.0.1/tcp/4001, with or without a peer after it.
func hostPort(a wire.Address) (string, error) {
	parts := strings.Split(string(a), "/")
	if len(parts) < 5 || parts[1] != "ip4" || parts[3] != "tcp" {
		return "", fmt.Errorf("address %s: want /ip4/…/tcp/…", a)
	}
	return net.JoinHostPort(parts[2], parts[4]), nil
}

func (t *transport) listen() {
	for {
		c, err := t.listener.Accept()
		if err != nil {
			return
		}
		go t.serve(c)
	}
}

// serve reads the peer's id and the protocol of a connection.
func (t *transport) serve(c net.Conn) {
	if !t.keep(c) {
		return
	}
	id, protocol, err := readHello(c)
	if err == nil {
		err = writeHello(c, t.id, protocol)
	}
	if err != nil {
		t.forget(c)
		return
	}
	select {
	case t.accepted <- &stream{Conn: c, t: t, id: id, protocol: protocol}:
	case <-t.done:
	}
}

// Dial implements [peer.Transport]. The id in the other end's hello is believed. As with other
// transports, a zero id accepts any.
func (t *transport) Dial(ctx context.Context, to wire.PeerID, at []wire.Address, p peer.Protocol) (peer.Stream, error) {
	if len(at) == 0 {
		return nil, peer.ErrNoAddress
	}
	where, err := hostPort(at[0])
	if err != nil {
		return nil, err
	}
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", where)
	if err != nil {
		return nil, err
	}
	if !t.keep(c) {
		return nil, peer.ErrClosed
	}
	var id wire.PeerID
	if err = writeHello(c, t.id, p); err == nil {
		id, _, err = readHello(c)
	}
	if err == nil && to != (wire.PeerID{}) && id != to {
		err = peer.ErrWrongKey
	}
	if err != nil {
		t.forget(c)
		return nil, err
	}
	return &stream{Conn: c, t: t, id: id, protocol: p}, nil
}

// Accept implements [peer.Transport].
func (t *transport) Accept() (peer.Stream, error) {
	select {
	case s := <-t.accepted:
		return s, nil
	case <-t.done:
		return nil, peer.ErrClosed
	}
}

// Addresses implements [peer.Transport].
func (t *transport) Addresses() []wire.Address {
	if t.listener == nil {
		return nil
	}
	at := t.listener.Addr().(*net.TCPAddr)
	return []wire.Address{wire.Address(fmt.Sprintf("/ip4/%v/tcp/%d/p2p/%v", at.IP, at.Port, t.id))}
}

// Parallel reports that several connections to a peer can carry more than one.
func (t *transport) Parallel() bool { return true }

// Close implements [peer.Transport].
func (t *transport) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open == nil {
		return nil
	}
	close(t.done)
	var err error
	if t.listener != nil {
		err = t.listener.Close()
	}
	for c := range t.open {
		c.Close()
	}
	t.open = nil
	return err
}

// keep records a connection, unless the transport is closed.
func (t *transport) keep(c net.Conn) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open == nil {
		c.Close()
		return false
	}
	t.open[c] = true
	return true
}

func (t *transport) forget(c net.Conn) {
	c.Close()
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.open, c)
}

// A hello is the lengths of two strings, and the strings: the id of the sender, and the protocol.

func writeHello(w io.Writer, id wire.PeerID, p peer.Protocol) error {
	name := id.String()
	_, err := w.Write([]byte(string([]byte{byte(len(name)), byte(len(p))}) + name + string(p)))
	return err
}

func readHello(r io.Reader) (id wire.PeerID, p peer.Protocol, err error) {
	var lengths [2]byte
	if _, err = io.ReadFull(r, lengths[:]); err != nil {
		return id, "", err
	}
	b := make([]byte, int(lengths[0])+int(lengths[1]))
	if _, err = io.ReadFull(r, b); err != nil {
		return id, "", err
	}
	p = peer.Protocol(b[lengths[0]:])
	if p != peer.EnvelopeStream && p != peer.BulkStream && p != peer.ParallelStream {
		return id, "", errors.New("the other end is no peer")
	}
	id, err = wire.ParsePeerID(string(b[:lengths[0]]))
	return id, p, err
}

// stream is a connection whose other end has sent its id.
type stream struct {
	net.Conn
	t        *transport
	id       wire.PeerID
	protocol peer.Protocol
}

func (s *stream) Peer() wire.PeerID       { return s.id }
func (s *stream) Protocol() peer.Protocol { return s.protocol }

// Close ends the connection at once.
func (s *stream) Close() error {
	s.t.forget(s.Conn)
	return nil
}
