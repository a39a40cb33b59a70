package server_test

import (
	"bytes"
	"crypto/ed25519"
	"testing"
	"time"

	"github.com/bbgen/bbgen/remote/protocol"
	"github.com/bbgen/bbgen/remote/server"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// fetch fetches a tensor like another server, with a ticket.
func fetch(t *testing.T, s *server.Server, key ed25519.PrivateKey, ticket []byte) *protocol.Message {
	t.Helper()
	lim := protocol.DefaultLimits()
	conn, err := protocol.Greet(raw(t, s, key), protocol.ServerClass, nil, &lim)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Send(&protocol.Message{Kind: protocol.Fetch, Blob: ticket}); err != nil {
		t.Fatal(err)
	}
	m, err := conn.Receive()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A ticket is valid for one server, for its number of uses, and until the session ends.
func TestTicket(t *testing.T) {
	s := start(t)
	client := opened(t, s)
	receiver, stranger := newKey(t), newKey(t)
	ticket := bytes.Repeat([]byte{7}, 32)
	send := func(m *protocol.Message, parts ...[]byte) {
		t.Helper()
		if err := client.Send(m, parts...); err != nil {
			t.Fatal(err)
		}
	}
	send(&protocol.Message{Kind: protocol.Register, Seq: 1, Out: []uint64{1}, Bytes: 2,
		Tensors: []protocol.Type{{DType: tensor.Int8, Shape: []int{2}, Bytes: 2}}}, []byte{5, 6})
	send(&protocol.Message{Kind: protocol.Offer, Seq: 2, To: 1, In: []uint64{1}, Blob: ticket, Address: peer.IDOf(receiver).String(), Number: 2})
	if m, err := client.Receive(); err != nil || m.Failure != nil {
		t.Fatalf("the offer: got %+v, %v", m, err)
	}
	send(&protocol.Message{Kind: protocol.Release, Seq: 3, In: []uint64{1}})
	refused := func(name string, key ed25519.PrivateKey, ticket []byte) {
		t.Helper()
		if m := fetch(t, s, key, ticket); m.Failure == nil || m.Failure.Code != protocol.Refused {
			t.Errorf("%s: got %+v, want a refusal", name, m)
		}
	}
	refused("another server", stranger, ticket)
	refused("another ticket", receiver, bytes.Repeat([]byte{8}, 32))
	for range 2 {
		if m := fetch(t, s, receiver, ticket); m.Failure != nil || m.Bytes != 2 {
			t.Errorf("got %+v, want the tensor", m)
		}
	}
	refused("a third download", receiver, ticket)

	send(&protocol.Message{Kind: protocol.Register, Seq: 4, Out: []uint64{2}, Tensors: []protocol.Type{{DType: tensor.Int8, Shape: []int{0}}}})
	send(&protocol.Message{Kind: protocol.Offer, Seq: 5, To: 2, In: []uint64{2}, Blob: ticket, Address: peer.IDOf(receiver).String(), Number: 2})
	if m, err := client.Receive(); err != nil || m.Failure != nil {
		t.Fatalf("the offer: got %+v, %v", m, err)
	}
	send(&protocol.Message{Kind: protocol.Close, Seq: 6, To: 3})
	ends(t, "a session that is closed", client)
	for s.Used() > 0 { // until it is removed
		time.Sleep(time.Millisecond)
	}
	refused("after the session", receiver, ticket)
}
