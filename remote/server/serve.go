package server

import (
	"crypto/rand"
	"fmt"
	"slices"
	"time"

	"github.com/bbgen/bbgen/remote/protocol"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

const (
	sessionID = 16               // bytes of a session's name
	silence   = 30 * time.Second // after which a client is considered dead: it pings more often
)

// serve serves one connection.
func (s *Server) serve(stream peer.Stream) error {
	conn, hello, err := protocol.Hear(stream, &s.limits)
	if err != nil {
		return err
	}
	if err := s.admit(stream.Peer(), hello); err != nil {
		s.config.Log.Info("client refused", "client", stream.Peer(), "err", err)
		return protocol.Welcome(stream, err.Error())
	}
	known := !slices.Contains(hello.Classes, protocol.ServerClass)
	if known && !s.enter(stream) {
		return protocol.Welcome(stream, "the server has too many connections")
	}
	if err := protocol.Welcome(stream, ""); err != nil {
		return err
	}
	conn.SetIdle(silence)
	if !known {
		return s.serveOffer(conn)
	}
	m, err := conn.Receive()
	if err != nil {
		return err
	}
	if m.Kind != protocol.Open || m.Bytes > 0 {
		return fmt.Errorf("%w: it begins with kind %d, want Open", protocol.ErrMalformed, m.Kind)
	}
	x, failure := s.open(stream.Peer(), m)
	if failure != nil {
		return conn.Send(&protocol.Message{Kind: protocol.Opened, Failure: failure})
	}
	return x.serve(conn, m.Ack)
}

// admit returns an error if a peer is refused. Other servers need not be admitted: they need a ticket.
func (s *Server) admit(id wire.PeerID, hello *wire.Hello) error {
	switch {
	case hello.Protocol != protocol.Version:
		return fmt.Errorf("the client has version %d of the protocol, want %d", hello.Protocol, protocol.Version)
	case slices.Contains(hello.Classes, protocol.ServerClass):
		return nil
	case s.config.Admit == nil:
		return fmt.Errorf("this server admits no client")
	}
	return s.config.Admit(id, hello)
}

// open begins a session, or resumes one.
func (s *Server) open(id wire.PeerID, m *protocol.Message) (*session, *protocol.Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(m.Blob) > 0 {
		x := s.sessions[string(m.Blob)]
		if x == nil || x.peer != id {
			return nil, &protocol.Failure{Code: protocol.Lost, Op: "open", Text: "the server has no such session any more: it was restarted, or the client was away for too long"}
		}
		return x, nil
	}
	c := s.client(id)
	switch {
	case m.Number >= uint64(len(s.devices)):
		return nil, &protocol.Failure{Op: "open", Text: fmt.Sprintf("there is no device %d: the server has %d, counted from 0", m.Number, len(s.devices))}
	case s.closed:
		return nil, &protocol.Failure{Code: protocol.Lost, Op: "open", Text: "the server stops"}
	case c.sessions == s.config.Sessions:
		return nil, &protocol.Failure{Op: "open", Text: fmt.Sprintf("the client has %d sessions, which is the limit", c.sessions)}
	}
	s.clients[id] = c
	c.sessions++
	name := make([]byte, sessionID)
	rand.Read(name)
	x := newSession(s, id, string(name), c, int(m.Number))
	s.sessions[x.id] = x
	return x, nil
}

// client returns the state of a client.
func (s *Server) client(id wire.PeerID) *client {
	if c := s.clients[id]; c != nil {
		return c
	}
	c := new(client)
	for _, d := range s.devices {
		c.memory = append(c.memory, &account{whose: "the client", above: d, limit: s.config.ClientMemory / len(s.devices)})
	}
	return c
}

// remove removes a session that has ended.
func (s *Server) remove(x *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, x.id)
	for ticket, o := range s.offers {
		if o.session == x {
			o.drop(s, ticket)
		}
	}
	if x.client.sessions--; x.client.sessions == 0 {
		delete(s.clients, x.peer)
	}
}
