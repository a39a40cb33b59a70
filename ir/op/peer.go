package op

import "github.com/bbgen/bbgen/ir"

// Peer says what a node does on the peer that runs it, beside computing: the
// column of the table for roles, wire and syscalls.
type Peer struct {
	Kind PeerKind

	// Method is the Go method that is called: of the role's component for KindCall,
	// KindGather and KindFold, of *runtime.Node for KindService and KindWait.
	Method string

	// Sender: the method is told first which peer the node's inputs came from.
	Sender bool

	// Slow: the method computes for so long that it runs beside the engine, unless
	// the component's own says otherwise.
	Slow bool

	// Weight: a second input that is left out is the number 1.
	Weight bool

	// Config are the attributes that follow the inputs as arguments, in order.
	Config []string

	// State names what the attribute "name" stands for on the peer, beside the
	// engine: a type of package runtime, of which Method is a method. All nodes of a
	// class with the same name and State share one. The method is given the node
	// first.
	State string

	// Pass: output 0 is input 0, if the method has nothing against it; the method
	// is given the other inputs.
	Pass bool

	// Fails: the method of a KindService returns an error, alone or behind its result.
	Fails bool

	// Held: the store that State names has values of any type, as snapshots encode
	// them.
	Held bool

	// Decimal: the method is given numbers as float64, whatever their type.
	Decimal bool

	// Graph: the component computes the ONNX model in the attribute "graph", which it
	// is given before: it is a runtime.Backend.
	Graph bool

	// Frame: the method is given the execution's frame before the inputs.
	Frame bool

	// Opens says what begins the executions that a KindOpen opens.
	Opens Opens

	// Timer: the outputs of a KindWait come when a time has passed, not with an event.
	Timer bool

	// Told: a KindEmit gives the host its input, not only a name.
	Told bool

	// GivesAway: the component keeps nothing of what the method returns, so that it
	// may be stored without a copy.
	GivesAway bool

	// Encodes: the output is the form that input 0 has on its way.
	Encodes bool

	// InTurn: the output is other peers in each execution.
	InTurn bool

	// All: the output is all peers of the class in the attribute "class".
	All bool

	// Itself: the output is the peer that the node runs on.
	Itself bool

	// Model says what a call does with the model in its slot.
	Model ModelUse
}

// Opens is what begins executions.
type Opens uint8

// What begins executions.
const (
	OpensAtStart   Opens = iota + 1 // the peer runs
	OpensBootstrap                  // the peer runs, and lets nothing else in yet
	OpensEvery                      // a time has passed again
	OpensOnEvent                    // the engine has an event
	OpensOnPhase                    // the peer's life comes to a phase
	OpensRounds                     // the round before has ended
)

// ModelUse is a set of what a call does with a model.
type ModelUse uint8

// What a call does with a model.
const (
	GivesParameters ModelUse = 1 << iota // output 0 is as long as the parameters
	TakesParameters                      // input 0 is
	HasLoss                              // it computes the loss
	HasGradients                         // it gives the gradients of the inputs
	HasBackward                          // it is the backward pass alone
	EachBatch                            // it is called for each batch of a data source, as often as an attribute says
	HalfStep                             // it is one half of a step that is split
)

// Has reports whether u has all of what is asked for.
func (u ModelUse) Has(all ModelUse) bool { return u&all == all }

// OpensOf says what begins the executions that a node opens, 0 if it opens none.
func OpensOf(n *ir.Node) Opens {
	if o := Lookup(n); o != nil && o.Peer != nil {
		return o.Peer.Opens
	}
	return 0
}

// ModelUseOf says what a node does with the model in its slot.
func ModelUseOf(n *ir.Node) ModelUse {
	if o := Lookup(n); o != nil && o.Peer != nil {
		return o.Peer.Model
	}
	return 0
}

// PeerKind is how the partitioner and the printer treat an operator.
type PeerKind uint8

// The kinds of operators of distributed programs.
const (
	// KindCall calls a method of the component in the slot that the attribute "slot"
	// names.
	KindCall PeerKind = iota + 1

	// KindGather is a KindCall that joins what many peers sent: its first input is a
	// value that each of them has of its own, and it runs once for all.
	KindGather

	// KindFold is a KindCall on a value that each of many peers has of its own. It runs
	// once for each of them, in the order of their ranks, when all are there.
	KindFold

	// KindService calls the engine, in place.
	KindService

	// KindWait is a KindService whose outputs come later: they are a cut point.
	KindWait

	// KindOpen starts an execution: its output is there when one begins because of
	// it.
	KindOpen

	// KindFirst is whichever of its inputs comes first.
	KindFirst

	// KindOrder passes its first input on when all of its inputs are there.
	KindOrder

	// KindSend gives a value to peers, KindRecv is where it arrives.
	KindSend
	KindRecv

	// KindCollective computes with the peers of the own class. Its output is a cut point.
	KindCollective

	// KindEmit gives a value to the host.
	KindEmit

	// KindNext begins the next round with the values that its inputs have.
	KindNext
)
