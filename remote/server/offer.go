package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bbgen/bbgen/remote/protocol"
	"github.com/bbgen/bbgen/runtime/wire"
)

// offer is a tensor that another server may fetch. The ticket is valid only for that server, for a number of
// downloads, and for some time.
type offer struct {
	session *session
	slot    *slot
	to      wire.PeerID
	left    uint64
	expiry  *time.Timer
}

const (
	ticketSize = 32
	ticketTime = 5 * time.Minute
	maxOffers  = 1024 // of a server
)

// offer lets another server fetch a tensor. The answer does not wait for the tensor, so that the client can
// start the transfer at once.
func (x *session) offer(m *protocol.Message) {
	slots, f := x.store.get(m.In)
	if f == nil {
		f = x.server.offer(x, slots, m)
	}
	if f != nil {
		f.Op = "offer"
		releaseAll(slots)
	}
	x.answer(m, f)
}

// offer records an offer, which takes over the reference to the slot.
func (s *Server) offer(x *session, slots []*slot, m *protocol.Message) *protocol.Failure {
	to, err := wire.ParsePeerID(m.Address)
	switch {
	case len(slots) != 1 || slots[0] == nil || len(m.Blob) != ticketSize || m.Number == 0:
		return &protocol.Failure{Text: fmt.Sprintf("want one tensor, a ticket of %d bytes and how many downloads", ticketSize)}
	case err != nil:
		return &protocol.Failure{Text: fmt.Sprintf("the server that may fetch: %v", err)}
	}
	ticket := string(m.Blob)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case x.ctx.Err() != nil:
		return &protocol.Failure{Code: protocol.Lost, Text: "the session is over"}
	case s.offers[ticket] != nil:
		return &protocol.Failure{Text: "the ticket is in use: draw another one"}
	case len(s.offers) == maxOffers:
		return &protocol.Failure{Text: fmt.Sprintf("the server has %d offers, which is the limit", maxOffers)}
	}
	o := &offer{session: x, slot: slots[0], to: to, left: m.Number}
	o.expiry = time.AfterFunc(ticketTime, func() { s.expire(ticket, o) })
	s.offers[ticket] = o
	return nil
}

func (s *Server) expire(ticket string, o *offer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.offers[ticket] == o {
		o.drop(s, ticket)
	}
}

// drop removes an offer. The caller holds the server's lock.
func (o *offer) drop(s *Server, ticket string) {
	o.expiry.Stop()
	delete(s.offers, ticket)
	o.slot.release()
}

// redeem uses one download of a ticket. It returns the slot with a reference.
func (s *Server) redeem(ticket string, by wire.PeerID) (*slot, context.Context, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.offers[ticket]
	if o == nil || o.to != by || o.session.ctx.Err() != nil { // the error does not tell which condition failed
		return nil, nil, errors.New("no such ticket: it was used, has expired, or is another server's")
	}
	o.slot.hold()
	if o.left--; o.left == 0 {
		o.drop(s, ticket)
	}
	return o.slot, o.session.ctx, nil
}

// serveOffer serves a connection of another server, which fetches a tensor.
func (s *Server) serveOffer(conn *protocol.Conn) error {
	m, err := conn.Receive()
	if err != nil {
		return err
	}
	if m.Kind != protocol.Fetch || m.Bytes > 0 {
		return fmt.Errorf("%w: a server sends kind %d, want Fetch", protocol.ErrMalformed, m.Kind)
	}
	x, ctx, err := s.redeem(string(m.Blob), conn.Peer())
	if err != nil {
		return conn.Send(&protocol.Message{Kind: protocol.Answer, Failure: &protocol.Failure{Code: protocol.Refused, Op: "fetch", Text: err.Error()}})
	}
	defer x.release()
	if !s.enter(conn.Stream) {
		return errors.New("the server has too many connections")
	}
	ctx, cancel := context.WithTimeout(ctx, ticketTime)
	defer cancel()
	t, f := x.wait(ctx)
	if f != nil {
		return conn.Send(&protocol.Message{Kind: protocol.Answer, Failure: shortened(f)})
	}
	typ, b := protocol.TypeOf(t)
	return conn.Send(&protocol.Message{Kind: protocol.Answer, Tensors: []protocol.Type{typ}, Bytes: typ.Bytes}, b)
}
