package dsl

import (
	"time"

	"github.com/bbgen/bbgen/ir"
)

// sending is a NetOut.
type sending struct {
	node *ir.Node
	port string
	to   *class
	from string
	edge edge
	sent ir.Type // before it is encoded
	out  Value   // as it arrives, encoded
	in   Value   // decoded; nil until it is first needed
	read bool
	pos  pos
}

// edge describes how a value is sent.
type edge struct {
	before   []change // in order, before the codec encodes
	codec    codec
	deadline time.Duration
	apart    bool
	to       string // class of the peers
	err      error
}

func (e *edge) codecName() string {
	if e.codec == nil {
		return ""
	}
	return e.codec.name()
}

// codec converts a tensor to another form for sending.
type codec interface {
	name() string
	encode(g *Graph, x Value) Value
	decode(g *Graph, x Value, as ir.Type) Value

	// wire returns the type of the value on the edge, for a receiver that decodes it to type as. The type
	// sent is what the sender's encoding gives.
	wire(r *recorder, as, sent ir.Type) ir.Type
}

// arrived returns the value as its readers see it: decoded if it was sent encoded.
func (g *Graph) arrived(v Value) Value {
	if v.value == nil || v.bad || v.send == nil || v.ir != v.send.out.ir {
		return v
	}
	s := v.send
	s.read = true
	if s.edge.codec == nil || s.to.name == "" {
		return v
	}
	if s.in.value == nil {
		raw := *v.value
		raw.send = nil
		g.outside(func() { s.in = s.edge.codec.decode(g, Value{&raw}, s.sent) })
		if !s.in.bad {
			s.in.send = s
		}
	}
	return s.in
}
