package dsl

import (
	"time"

	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// Protocol is a slot for a component with its own messages and timers. Message is the type of its messages;
// the default is bytes.
type Protocol struct {
	Name    string
	Message Type
	Bind    Binding
	at      *slot
}

func (s *Protocol) parts() (string, *string, *Binding, **slot) {
	return "protocol", &s.Name, &s.Bind, &s.at
}

// Run runs a protocol among the peers of a class: each of them calls Ask and Serve.
func (s Protocol) Run(g *Graph, port string, period time.Duration) {
	s.Ask(g, port, g.class, period)
	s.Serve(g, port, g.class)
}

// Ask lets the protocol send messages in each period to peers of a class, which Serve under the same port, and
// passes it their answers. The component has these methods, with its own type of messages for Dense[uint8]:
//
//	Tick() (to []wire.PeerID, message tensor.Dense[uint8], err error)
//	Answered(from wire.PeerID, answer tensor.Dense[uint8]) error
//
// Either may take a runtime.Peer as an additional first parameter.
func (s Protocol) Ask(g *Graph, port, class string, period time.Duration) {
	tick := g.Interval(period)
	s.post(g, port, s.says(g, peer.ProtocolTick, class, When(tick)))
	from, answer := s.hears(g, port+"_answer")
	g.call1(&s, peer.ProtocolAnswered, "answered", nil, nil, from, answer)
}

// Serve lets the protocol answer the messages that peers of a class Ask under the same port. The component has
// the method
//
//	Receive(from wire.PeerID, message tensor.Dense[uint8]) (to []wire.PeerID, answer tensor.Dense[uint8], err error)
//
// It may take a runtime.Peer as an additional first parameter. An answer may go to any peers of the class,
// or to none.
func (s Protocol) Serve(g *Graph, port, class string) {
	from, message := s.hears(g, port)
	s.post(g, port+"_answer", s.says(g, peer.ProtocolReceive, class, nil, from, message))
}

// says calls a method that returns a message of the protocol and its receivers.
func (s Protocol) says(g *Graph, o *op.Op, of string, when CallOption, in ...Value) []Value {
	if of == "" {
		bad := g.ofNoClass(o.Name)
		return []Value{bad, bad}
	}
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

// post sends the protocol's messages. Each message is an execution of its own; the protocol itself matches
// related messages.
func (s Protocol) post(g *Graph, port string, said []Value) {
	if !said[0].bad {
		g.NetOut(port, said[0], said[1], Apart())
	}
}

// hears returns a message that the protocol receives, and its sender.
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

// Call calls a method of the protocol with one output, of the given type.
func (s Protocol) Call(g *Graph, method string, out Type, in ...Value) Value {
	return s.CallN(g, method, []Type{out}, in...)[0]
}

// CallN calls a method of the protocol with an output of each given type.
func (s Protocol) CallN(g *Graph, method string, outs []Type, in ...Value) []Value {
	return g.ownCall(&s, peer.ProtocolCall, method, outs, in)
}
