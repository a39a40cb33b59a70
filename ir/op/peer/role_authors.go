package peer

import "github.com/bbgen/bbgen/ir/op"

// Authors' own components. The attribute "method" names the method, and the author gives the types of its
// outputs.
var (
	// ProtocolCall calls a method of a protocol, which has its own messages and timers.
	ProtocolCall = ownCall("protocol").Op

	// ProtocolTick returns the messages of the protocol after a period, and their receivers: peers of the
	// class in the attribute "class".
	ProtocolTick = call("protocol", "Tick",
		[]op.Port{after}, []op.Port{{Name: "to"}, {Name: "message"}},
		gives(a(Peers), said(bytes)), op.Attr{Name: "class", Kind: op.String}).Op

	// ProtocolReceive takes a message from a peer. It returns the answer of the protocol, and its receivers.
	ProtocolReceive = call("protocol", "Receive",
		[]op.Port{{Name: "from", Types: aPeer}, {Name: "message"}}, []op.Port{{Name: "to"}, {Name: "answer"}},
		gives(a(Peers), said(bytes)), op.Attr{Name: "class", Kind: op.String}).Op

	// ProtocolAnswered takes an answer from a peer.
	ProtocolAnswered = call("protocol", "Answered",
		[]op.Port{{Name: "from", Types: aPeer}, {Name: "answer"}}, []op.Port{{Name: "done", Types: aTrigger}},
		gives(triggered)).Op

	// ComponentCall is an author's operator: a method of a Go type.
	ComponentCall = ownCall("component").Op

	// BackendRun computes with an author's engine. The graph is the ONNX model in the attribute "graph".
	BackendRun = call("backend", "Run",
		[]op.Port{{Name: "x", Types: aTensor, Variadic: true, Mixed: true}}, []op.Port{{Name: "y", Variadic: true, Mixed: true, Min: 1}},
		gives(said(needsType)), op.Attr{Name: "graph", Kind: op.Tensor}).slow().ofGraph().merges().Op
)

func ownCall(role string) row {
	o := call(role, "Call", []op.Port{{Name: "args", Variadic: true, Mixed: true}}, []op.Port{{Name: "results", Variadic: true, Mixed: true}},
		gives(said(needsType)), op.Attr{Name: "method", Kind: op.String})
	o.Peer.Method = ""
	return o
}
