package peer

import "github.com/bbgen/bbgen/ir/op"

// What authors bring of their own: methods that the attribute "method" names, of
// outputs whose types the author says.
var (
	// ProtocolCall calls a method of a protocol, which has messages and timers of
	// its own.
	ProtocolCall = ownCall("protocol").Op

	// ProtocolTick is what the protocol sends when its time has come, and to whom:
	// peers of the attribute "class".
	ProtocolTick = call("protocol", "Tick",
		[]op.Port{after}, []op.Port{{Name: "to"}, {Name: "message"}},
		gives(a(Peers), said(bytes)), op.Attr{Name: "class", Kind: op.String}).Op

	// ProtocolReceive takes a message from a peer; it is what the protocol sends in
	// answer, and to whom.
	ProtocolReceive = call("protocol", "Receive",
		[]op.Port{{Name: "from", Types: aPeer}, {Name: "message"}}, []op.Port{{Name: "to"}, {Name: "answer"}},
		gives(a(Peers), said(bytes)), op.Attr{Name: "class", Kind: op.String}).Op

	// ProtocolAnswered takes an answer from a peer.
	ProtocolAnswered = call("protocol", "Answered",
		[]op.Port{{Name: "from", Types: aPeer}, {Name: "answer"}}, []op.Port{{Name: "done", Types: aTrigger}},
		gives(triggered)).Op

	// ComponentCall is an operator of the author's: a method of a Go type.
	ComponentCall = ownCall("component").Op

	// BackendRun computes with an engine of the author's: the graph is the ONNX
	// model in the attribute "graph".
	BackendRun = call("backend", "Run",
		[]op.Port{{Name: "x", Types: aTensor, Variadic: true, Mixed: true}}, []op.Port{{Name: "y", Variadic: true, Mixed: true, Min: 1}},
		gives(said(needsType)), op.Attr{Name: "graph", Kind: op.Tensor}).slow().ofGraph().Op
)

func ownCall(role string) row {
	o := call(role, "Call", []op.Port{{Name: "args", Variadic: true, Mixed: true}}, []op.Port{{Name: "results", Variadic: true, Mixed: true}},
		gives(said(needsType)), op.Attr{Name: "method", Kind: op.String})
	o.Peer.Method = ""
	return o
}
