package op

import "github.com/bbgen/bbgen/ir"

// Peer describes the action of a node on the peer that runs it. It is the column of the table for roles, wire
// and syscalls.
type Peer struct {
	Kind PeerKind

	// Method is the Go method to call: of the role's component for KindCall, KindGather and KindFold, and of
	// *runtime.Engine for KindService and KindWait.
	Method string

	// Sender: the first argument of the method is the peer that the node's inputs came from.
	Sender bool

	// Slow: the method takes so long that it runs outside the engine's loop, unless the component overrides
	// it.
	Slow bool

	// Weight: an omitted second input is the number 1.
	Weight bool

	// Config lists the attributes that follow the inputs as arguments, in order.
	Config []string

	// State is the type in package runtime of the state that the node uses; Method is a method of that type.
	// The attribute "name" is the name of the state. All nodes of a class with the same name and State share
	// one. The first argument of the method is the node.
	State string

	// Pass: output 0 is input 0, unless the method returns an error. The arguments of the method are the
	// other inputs.
	Pass bool

	// Fails: the method of a KindService returns an error, alone or after its result.
	Fails bool

	// Held: the store named by State holds values of any type, encoded as in snapshots.
	Held bool

	// Decimal: numbers are passed to the method as float64, whatever their type.
	Decimal bool

	// Graph: the component, a model.Backend, computes the ONNX model in the attribute "graph", which is
	// loaded in advance.
	Graph bool

	// Frame: the frame of the execution is passed to the method before the inputs.
	Frame bool

	// Opens is the kind of event that starts the executions of a KindOpen.
	Opens Opens

	// Timer: the outputs of a KindWait come after a time, and not with an event.
	Timer bool

	// Told: a KindEmit passes its input to the host, and not only a name.
	Told bool

	// GivesAway: the component keeps no reference to the method's result, so that it may be stored without a
	// copy.
	GivesAway bool

	// Encodes: the output is input 0, encoded for sending.
	Encodes bool

	// InTurn: the output is a different peer for each execution.
	InTurn bool

	// All: the output is all peers of the class in the attribute "class".
	All bool

	// Itself: the output is the peer that runs the node.
	Itself bool

	// Packs: the output is a bundle of the inputs.
	Packs bool

	// Unpacks: the outputs are the values of the bundle in input 0.
	Unpacks bool

	// Merges: two consecutive calls on a slot may be computed as one, whose graph is both graphs joined.
	Merges bool

	// Model describes how a call uses the model in its slot.
	Model ModelUse
}

// Opens is a kind of event that starts executions.
type Opens uint8

// The kinds of events that start executions.
const (
	OpensAtStart   Opens = iota + 1 // the peer starts
	OpensBootstrap                  // the peer starts, and accepts no input yet
	OpensEvery                      // a period has passed
	OpensOnEvent                    // the engine has an event
	OpensOnPhase                    // the peer enters a phase of its life
	OpensRounds                     // the round before has ended
)

// ModelUse is a set of properties of a call on a model.
type ModelUse uint8

// The properties of a call on a model.
const (
	GivesParameters ModelUse = 1 << iota // output 0 has the length of the parameters
	TakesParameters                      // input 0 has the length of the parameters
	HasLoss                              // it computes the loss
	HasGradients                         // it returns the gradients of the inputs
	HasBackward                          // it is only the backward pass
	EachBatch                            // it is called for each batch of a data source; an attribute has the number of batches
	HalfStep                             // it is one half of a split step
	GivesBucket                          // output 0 is the part "bucket" of "buckets" equal parts of the parameters; the last one without a "bucket"
)

// Has reports whether u contains all properties in all.
func (u ModelUse) Has(all ModelUse) bool { return u&all == all }

// PeerOf returns what a node does on the peer that runs it. It is nil for a node that computes, and for no node.
func PeerOf(n *ir.Node) *Peer {
	if n == nil {
		return nil
	}
	if o := Lookup(n); o != nil {
		return o.Peer
	}
	return nil
}

// PeerKindOf returns the kind of a node on a peer, or 0 if it computes.
func PeerKindOf(n *ir.Node) PeerKind {
	if p := PeerOf(n); p != nil {
		return p.Kind
	}
	return 0
}

// OpensOf returns the kind of event that starts the executions of a node, or 0 if it starts none.
func OpensOf(n *ir.Node) Opens {
	if p := PeerOf(n); p != nil {
		return p.Opens
	}
	return 0
}

// ModelUseOf returns the properties of a node's call on the model in its slot.
func ModelUseOf(n *ir.Node) ModelUse {
	if p := PeerOf(n); p != nil {
		return p.Model
	}
	return 0
}

// PeerKind determines how the partitioner and the code generator treat an operator.
type PeerKind uint8

// The kinds of operators of distributed programs.
const (
	// KindCall calls a method of the component in the slot named by the attribute "slot".
	KindCall PeerKind = iota + 1

	// KindGather is a KindCall that combines the values of many peers: its first input is a value of each
	// peer, and it runs once for all of them.
	KindGather

	// KindFold is a KindCall on a value of each of many peers. It runs once for each of them, in the order of
	// their ranks, when all values are present.
	KindFold

	// KindService calls the engine, which returns at once.
	KindService

	// KindWait is a KindService with outputs that come later, at a cut point.
	KindWait

	// KindOpen starts an execution. Its output is present when it has started the execution.
	KindOpen

	// KindFirst returns the input that comes first.
	KindFirst

	// KindOrder returns its first input when all inputs are present.
	KindOrder

	// KindSend sends a value to peers, and KindRecv receives it.
	KindSend
	KindRecv

	// KindCollective computes with the peers of its own class. Its output is a cut point.
	KindCollective

	// KindEmit passes a value to the host.
	KindEmit

	// KindNext starts the next round with the values of its inputs.
	KindNext
)
