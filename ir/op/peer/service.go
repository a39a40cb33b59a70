package peer

import (
	"slices"

	"github.com/bbgen/bbgen/ir/op"
)

// NameAttr is the attribute of the engine's services that says which of several
// is meant: which queue, which counter.
const NameAttr = "name"

// after is any number of triggers: what a service waits for before it is called.
var after = op.Port{Name: "after", Types: aTrigger, Variadic: true}

// phase is the attribute of all that a peer does in a phase of its life.
var phase = op.Attr{Name: "phase", Kind: op.String}

// service returns a call of the engine, made in place.
func service(name string, in, out []op.Port, infer func(*op.Infer) error, attrs ...op.Attr) row {
	if !slices.ContainsFunc(attrs, func(a op.Attr) bool { return a.Name == phase.Name }) {
		attrs = append(attrs, phase)
	}
	return row{&op.Op{
		Name: name, Domain: SyscallDomain, Since: []int{1}, Attrs: attrs, Inputs: in, Outputs: out, Infer: infer, Effect: true,
		Peer: &op.Peer{Kind: op.KindService, Method: name, Config: arguments(attrs)}, Stops: op.StopEngine,
	}}
}

// opener starts executions of its own.
func opener(name string, opens op.Opens, out []op.Port, infer func(*op.Infer) error, attrs ...op.Attr) row {
	o := service(name, nil, out, infer, attrs...).as(op.KindOpen)
	o.Peer.Opens = opens
	return o
}

// order returns an operator that only says what comes before what.
func order(name string, in, out []op.Port, infer func(*op.Infer) error) row {
	o := service(name, in, out, infer).as(op.KindOrder)
	o.Effect, o.Peer.Method = false, ""
	return o
}

// of says which state of the peer a service works on, and its method there.
func (o row) of(state, method string) row {
	o.Peer.State, o.Peer.Method = state, method
	return o
}

// passes has a service let its first input through.
func (o row) passes() row {
	o.Peer.Pass = true
	return o
}

// fails says that a service may refuse what it is asked for.
func (o row) fails() row {
	o.Peer.Fails = true
	return o
}

// ofFrame gives a service the frame of the execution.
func (o row) ofFrame() row {
	o.Peer.Frame = true
	return o
}
