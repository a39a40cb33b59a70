package dsl

import (
	"time"

	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// Protocol is a slot for what has messages and timers of its own. What a message
// is, Message says; it is bytes, if that says nothing.
type Protocol struct {
	Name    string
	Message Type
	Bind    Binding
	at      *slot
}

func (s *Protocol) parts() (string, *string, *Binding, **slot) {
	return "protocol", &s.Name, &s.Bind, &s.at
}

// Run runs a protocol among the peers of a class: each of them asks, and each
// answers.
func (s Protocol) Run(g *Graph, port string, period time.Duration) {
	s.Ask(g, port, g.class, period)
	s.Serve(g, port, g.class)
}

// Ask has the protocol say in each period what it sends, and to whom of the
// peers of a class, which Serve under the same port. It is told their answers.
// The component has the methods, with Dense[uint8] for the messages,
//
//	Tick() (to []wire.PeerID, message tensor.Dense[uint8], err error)
//	Answered(from wire.PeerID, answer tensor.Dense[uint8]) error
//
// and may take a *runtime.Node first.
func (s Protocol) Ask(g *Graph, port, class string, period time.Duration) {
	tick := g.Interval(period)
	s.post(g, port, s.says(g, peer.ProtocolTick, class, When(tick)))
	from, answer := s.hears(g, port+"_answer")
	g.call1(&s, peer.ProtocolAnswered, "answered", nil, nil, from, answer)
}

// Serve has the protocol answer what peers of a class Ask under the same port.
// The component has the method
//
//	Receive(from wire.PeerID, message tensor.Dense[uint8]) (to []wire.PeerID, answer tensor.Dense[uint8], err error)
//
// and may take a *runtime.Node first. An answer may go to any peers of the
// class, or to none.
func (s Protocol) Serve(g *Graph, port, class string) {
	from, message := s.hears(g, port)
	s.post(g, port+"_answer", s.says(g, peer.ProtocolReceive, class, nil, from, message))
}

// says returns a message of the protocol's, and to whom it goes.
func (s Protocol) says(g *Graph, o *op.Op, of string, when CallOption, in ...Value) []Value {
	opts := []CallOption{PeersType, s.message()}
	if when != nil {
		opts = append(opts, when)
	}
	out := g.call(&s, o, []string{"to", "message"}, attrs("class", of), opts, in...)
	if !out[0].bad {
		out[0].peers = &class{name: of}
	}
	return out
}

// post sends what the protocol says. Each message is an execution of its own: a
// protocol knows by itself which of them belong together.
func (s Protocol) post(g *Graph, port string, said []Value) {
	if !said[0].bad {
		g.NetOut(port, said[0], said[1], Apart())
	}
}

// hears returns a message to the protocol.
func (s Protocol) hears(g *Graph, port string) (from, message Value) {
	message = g.Input(port, s.message())
	return g.Sender(message), message
}

func (s Protocol) message() Type {
	if s.Message.isZero() {
		return Uint8(Any)
	}
	return s.Message
}

// Call calls a method of the protocol's that has one output, of the given type.
func (s Protocol) Call(g *Graph, method string, out Type, in ...Value) Value {
	return s.CallN(g, method, []Type{out}, in...)[0]
}

// CallN calls a method of the protocol's that has an output of each type.
func (s Protocol) CallN(g *Graph, method string, outs []Type, in ...Value) []Value {
	return g.ownCall(&s, peer.ProtocolCall, method, outs, in)
}
