package op

// What authors bring of their own: methods that the attribute "method" names, of
// outputs whose types the author says.
var (
	// ProtocolCall calls a method of a protocol, which has messages and timers of
	// its own.
	ProtocolCall = ownCall("protocol")

	// ProtocolTick is what the protocol sends when its time has come, and to whom:
	// peers of the attribute "class".
	ProtocolTick = call("protocol", "Tick", Arity{0, Any}, Two, takes(triggers, a(Peers), said(bytes)))

	// ProtocolReceive takes a message from a peer; it is what the protocol sends in
	// answer, and to whom.
	ProtocolReceive = call("protocol", "Receive", Two, Two, takes([]want{aPeer, anything}, a(Peers), said(bytes)))

	// ProtocolAnswered takes an answer from a peer.
	ProtocolAnswered = call("protocol", "Answered", Two, One, takes([]want{aPeer, anything}, triggered))

	// ComponentCall is an operator of the author's: a method of a Go type.
	ComponentCall = ownCall("component")

	// BackendRun computes with an engine of the author's: the graph is the ONNX
	// model in the attribute "graph".
	BackendRun = call("backend", "Run", Arity{0, Any}, Arity{1, Any}, takes(tensors, said(needsType))).slow().ofGraph()
)

func ownCall(role string) *Op {
	o := call(role, "Call", Arity{0, Any}, Arity{0, Any}, takes([]want{anything}, said(needsType)))
	o.Peer.Method = ""
	return o
}
