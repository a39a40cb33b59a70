package op

// What authors bring of their own: methods that the attribute "method" names, of
// outputs whose types the author says.
var (
	// ProtocolCall calls a method of a protocol, which has messages and timers of
	// its own.
	ProtocolCall = ownCall("protocol").Op

	// ProtocolTick is what the protocol sends when its time has come, and to whom:
	// peers of the attribute "class".
	ProtocolTick = call("protocol", "Tick",
		[]Port{after}, []Port{{Name: "to"}, {Name: "message"}},
		gives(a(Peers), said(bytes)), Attr{Name: "class", Kind: String}).Op

	// ProtocolReceive takes a message from a peer; it is what the protocol sends in
	// answer, and to whom.
	ProtocolReceive = call("protocol", "Receive",
		[]Port{{Name: "from", Types: aPeer}, {Name: "message"}}, []Port{{Name: "to"}, {Name: "answer"}},
		gives(a(Peers), said(bytes)), Attr{Name: "class", Kind: String}).Op

	// ProtocolAnswered takes an answer from a peer.
	ProtocolAnswered = call("protocol", "Answered",
		[]Port{{Name: "from", Types: aPeer}, {Name: "answer"}}, []Port{{Name: "done", Types: aTrigger}},
		gives(triggered)).Op

	// ComponentCall is an operator of the author's: a method of a Go type.
	ComponentCall = ownCall("component").Op

	// BackendRun computes with an engine of the author's: the graph is the ONNX
	// model in the attribute "graph".
	BackendRun = call("backend", "Run",
		[]Port{{Name: "x", Types: aTensor, Variadic: true, Mixed: true}}, []Port{{Name: "y", Variadic: true, Mixed: true, Min: 1}},
		gives(said(needsType)), Attr{Name: "graph", Kind: Tensor}).slow().ofGraph().Op
)

func ownCall(role string) row {
	o := call(role, "Call", []Port{{Name: "args", Variadic: true, Mixed: true}}, []Port{{Name: "results", Variadic: true, Mixed: true}},
		gives(said(needsType)), Attr{Name: "method", Kind: String})
	o.Peer.Method = ""
	return o
}
