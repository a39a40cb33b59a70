package dsl

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/runtime/tensor"
)

var errNoValue = errors.New("there is no value")

// EdgeOption is an option of [Graph.NetOut].
type EdgeOption func(*edge)

// Clip scales a tensor down to the given Euclidean norm if its norm is larger.
func Clip(norm float64) EdgeOption {
	return func(e *edge) {
		if !(float32(norm) > 0) || math.IsInf(float64(float32(norm)), 0) {
			e.err = errors.New("the norm that Clip leaves must be more than 0, and finite in float32")
		}
		e.before = append(e.before, clip(norm))
	}
}

// Via replaces a tensor by the result of a method of the sender's component, which has the same type. The
// method may add noise, for example.
func Via(s Component, method string) EdgeOption {
	return func(e *edge) { e.before = append(e.before, via{s, method}) }
}

// Deadline limits the duration of the execution at the receiver, and at the peers to which it sends in turn:
// DeadlineCheck fails there after d.
func Deadline(d time.Duration) EdgeOption {
	return func(e *edge) {
		if e.deadline = d; d <= 0 {
			e.err = errors.New("the deadline must be more than 0")
		}
	}
}

// Apart starts a new execution at the receiver, independent of the sender's. Each peer may have many such
// executions, one for each value it receives. All values of a [Graph.Bundle] arrive in one.
func Apart() EdgeOption { return func(e *edge) { e.apart = true } }

// To names the class of the peers, if it does not follow from the value that lists them.
func To(class string) EdgeOption { return func(e *edge) { e.to = class } }

// NetOut sends a value to peers: to all in a set, or to one. It feeds the input of that name in the module of
// their class. If there is no such input, NetOut returns the value that the peers receive, and nodes that
// read it run there.
//
// If the host, a component or another peer names the peers at run time, their class is the one that [To]
// gives, or the only class with an input of that name. A peer that is not connected, or of
// another class, is rejected with an event that names it.
func (g *Graph) NetOut(port string, peers, v Value, opts ...EdgeOption) Value {
	p := g.r.at()
	s := &sending{port: port, pos: p}
	for _, o := range opts {
		o(&s.edge)
	}
	switch {
	case ir.Ident(port) != port:
		return g.r.failAt(p, "NetOut %q: want a name of letters, digits and underscores", port)
	case v.value == nil || peers.value == nil:
		return g.r.failAt(p, "NetOut %q: %v", port, errNoValue)
	case s.edge.err != nil:
		return g.r.failAt(p, "NetOut %q: %v", port, s.edge.err)
	case v.bad || peers.bad:
		return v
	}
	var err error
	if s.to, err = s.edge.class(g.arrived(peers)); err != nil {
		return g.r.failAt(p, "NetOut %q: %v", port, err)
	}
	v = g.arrived(v)
	s.sent = v.ir.Type
	sent, err := g.encode(s, v)
	if err != nil {
		return g.r.failAt(p, "NetOut %q: %v", port, err)
	}
	out := g.do(step{op: peer.Send, attrs: s.attrs(), outs: []string{port}, in: []Value{sent, peers}})[0]
	if out.bad {
		return out
	}
	s.from, s.node, s.out = g.classOf(out.ir.Def), out.ir.Def, out
	out.class, out.send = s.to.String(), s
	out.peers = v.peers
	g.r.sends = append(g.r.sends, s)
	return out
}

// class returns the class of the peers that an edge leads to.
func (e *edge) class(peers Value) (*class, error) {
	switch t := peers.ir.Type; {
	case peers.peers == nil && !t.Equal(peer.Peer1) && !t.Equal(peer.Peers):
		return nil, fmt.Errorf("%s is %s, want peers", peers.ir.Name, peers.Type())
	case peers.peers == nil:
		return &class{name: e.to, named: true}, nil
	case e.to != "" && e.to != peers.peers.name:
		return nil, fmt.Errorf("To says class %s, and %s are of class %s", e.to, peers.ir.Name, peers.peers)
	}
	return peers.peers, nil
}

func (s *sending) attrs() ir.Attrs {
	var a ir.Attrs
	a.Set("port", s.port)
	a.Set("to", s.to.String())
	if s.edge.deadline > 0 {
		a.Set("deadline_ns", s.edge.deadline.Nanoseconds())
	}
	if s.edge.apart {
		a.Set("apart", int64(1))
	}
	if s.to.named {
		a.Set("named", int64(1))
	}
	return a
}

// classOf returns the class of the peers that run a node.
func (g *Graph) classOf(n *ir.Node) string {
	if n.Class != "" {
		return n.Class
	}
	return g.fn.class
}

// encode returns v as it is sent.
func (g *Graph) encode(s *sending, v Value) (Value, error) {
	if (s.edge.codec != nil || s.edge.before != nil) && (v.ir.Type.Kind != ir.Tensor || v.ir.Type.Elem != tensor.Float32) {
		return v, fmt.Errorf("%s is %s; Codec, Clip and Via are for float32 tensors", v.ir.Name, v.ir.Type)
	}
	for _, change := range s.edge.before {
		if v = change.apply(g, v); v.bad {
			return v, nil
		}
	}
	if s.edge.codec != nil && !v.bad {
		v = s.edge.codec.encode(g, v)
	}
	return v, nil
}
