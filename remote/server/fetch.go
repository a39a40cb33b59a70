package server

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/bbgen/bbgen/remote/protocol"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// fetches counts the running transfers of a session.
type fetches struct{ running atomic.Int32 }

const maxFetches = 256

// fetch gets a tensor from another server. Each transfer has its own goroutine, so that only readers of the
// tensor wait for it: two servers that fetch from each other never wait in a circle. If there are too many
// transfers it fails.
func (x *session) fetch(s *stream, m *protocol.Message) {
	out, err := x.store.add(m.Out)
	t := &task{op: "fetch", out: out}
	at := wire.Address(m.Address)
	id, known := at.Peer()
	switch {
	case err != nil:
		s.note(failed(t.op, err))
		return
	case len(out) != 1 || len(m.Blob) != ticketSize || !known:
		s.fail(t, &protocol.Failure{Op: t.op, Text: fmt.Sprintf("want one tensor, a ticket of %d bytes, and an address that names the peer", ticketSize)})
		return
	case x.running.Add(1) > maxFetches:
		x.running.Add(-1)
		s.fail(t, &protocol.Failure{Op: t.op, Text: fmt.Sprintf("%d transfers run, which is the limit: read or sync before there are more", maxFetches)})
		return
	}
	out[0].hold()
	s.fetching = append(s.fetching, out[0])
	x.tasks.Go(func() {
		defer x.running.Add(-1)
		y, f := x.fetched(id, at, m.Blob)
		if f != nil {
			s.fail(t, f)
			return
		}
		out[0].fill(y)
		t.end()
	})
}

// sync answers when all earlier tasks of the stream have ended, with the first failure.
func (x *session) sync(s *stream, m *protocol.Message) {
	fetching := s.fetching
	s.fetching = nil
	x.enqueue(s, func() {
		for _, y := range fetching {
			y.wait(x.ctx)
		}
		releaseAll(fetching)
		x.answer(m, s.take())
	})
}

// fetched gets the tensor for a ticket from the server at an address.
func (x *session) fetched(id wire.PeerID, at wire.Address, ticket []byte) (*tensor.Tensor, *protocol.Failure) {
	t, f, err := x.download(id, at, ticket)
	if err != nil {
		return nil, failed("fetch", fmt.Errorf("from %s: %w", at, err))
	}
	return t, f
}

func (x *session) download(id wire.PeerID, at wire.Address, ticket []byte) (*tensor.Tensor, *protocol.Failure, error) {
	conn, err := x.ask(id, at, ticket)
	if err != nil {
		return nil, nil, err
	}
	defer conn.Close()
	defer context.AfterFunc(x.ctx, func() { conn.Close() })()
	conn.SetIdle(ticketTime + protocol.HelloTimeout) // the tensor may still be computed
	m, err := conn.Receive()
	switch {
	case err != nil:
		return nil, nil, err
	case m.Failure != nil:
		return nil, m.Failure, nil
	case len(m.Tensors) != 1:
		return nil, nil, fmt.Errorf("%w: %d tensors, want 1", protocol.ErrMalformed, len(m.Tensors))
	}
	t, err := readTensor(conn, &m.Tensors[0], x.memory)
	return t, nil, err
}

// ask opens a connection to another server and sends it a ticket.
func (x *session) ask(id wire.PeerID, at wire.Address, ticket []byte) (*protocol.Conn, error) {
	select {
	case x.server.dialing <- struct{}{}:
		defer func() { <-x.server.dialing }()
	case <-x.ctx.Done():
		return nil, x.ctx.Err()
	}
	ctx, cancel := context.WithTimeout(x.ctx, protocol.HelloTimeout)
	defer cancel()
	stream, err := x.server.transport.Dial(ctx, id, []wire.Address{at}, protocol.Stream)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { stream.Close() })
	defer stop()
	conn, err := protocol.Greet(stream, protocol.ServerClass, nil, &x.server.limits)
	if err == nil {
		err = conn.Send(&protocol.Message{Kind: protocol.Fetch, Blob: ticket})
	}
	if err != nil {
		stream.Close()
		return nil, err
	}
	return conn, nil
}
