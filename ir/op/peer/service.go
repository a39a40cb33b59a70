package peer

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// NameAttr is the attribute of the engine's services that identifies an instance, such as a queue or a
// counter.
const NameAttr = "name"

// after is any number of triggers that a service waits for.
var after = op.Port{Name: "after", Types: aTrigger, Variadic: true}

// PhaseAttr is the attribute of operators that run in a phase of the peer's life, and of [LifecyclePhase], which waits for
// one.
const PhaseAttr = "phase"

// The phases of a peer's life in which something can begin.
const (
	PhaseBootstrap = "bootstrap"
	PhaseRunning   = "running"
)

// phase says in which phase an operator runs. Only the bootstrap is named: everything else runs after it.
var phase = op.Attr{Name: PhaseAttr, Kind: op.String}

// Bootstraps reports whether a node belongs to the bootstrap.
func Bootstraps(n *ir.Node) bool {
	opens := op.OpensOf(n)
	return opens == op.OpensBootstrap || n.Str(PhaseAttr) == PhaseBootstrap && opens != op.OpensOnPhase
}

// service returns an operator that calls the engine and returns at once.
func service(name string, in, out []op.Port, infer func(*op.Infer) error, attrs ...op.Attr) row {
	if !slices.ContainsFunc(attrs, func(a op.Attr) bool { return a.Name == phase.Name }) {
		attrs = append(attrs, phase)
	}
	return row{&op.Op{
		Name: name, Domain: SyscallDomain, Since: []int{1}, Attrs: attrs, Inputs: in, Outputs: out, Infer: infer, Effect: true,
		Peer: &op.Peer{Kind: op.KindService, Method: name, Config: arguments(attrs)}, Stops: op.StopEngine,
	}}
}

// opener returns an operator that starts executions.
func opener(name string, opens op.Opens, out []op.Port, infer func(*op.Infer) error, attrs ...op.Attr) row {
	o := service(name, nil, out, infer, attrs...).as(op.KindOpen)
	o.Peer.Opens = opens
	return o
}

// order returns an operator that only orders other operators.
func order(name string, in, out []op.Port, infer func(*op.Infer) error) row {
	o := service(name, in, out, infer).as(op.KindOrder)
	o.Effect, o.Peer.Method = false, ""
	return o
}

// of sets the state of the peer that a service uses, and its method there.
func (o row) of(state, method string) row {
	o.Peer.State, o.Peer.Method = state, method
	return o
}

// passes sets [op.Peer.Pass].
func (o row) passes() row {
	o.Peer.Pass = true
	return o
}

// fails sets [op.Peer.Fails].
func (o row) fails() row {
	o.Peer.Fails = true
	return o
}

// ofFrame sets [op.Peer.Frame].
func (o row) ofFrame() row {
	o.Peer.Frame = true
	return o
}
