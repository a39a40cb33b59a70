package op

// What authors bring of their own: methods that the attribute "method" names, of
// outputs whose types the author says.
var (
	// ProtocolCall calls a method of a protocol, which has messages and timers of
	// its own.
	ProtocolCall = ownCall("protocol")

	// ComponentCall is an operator of the author's: a method of a Go type.
	ComponentCall = ownCall("component")

	// BackendRun computes with an engine of the author's: the graph is the ONNX
	// model in the attribute "graph".
	BackendRun = call("backend", "Run", Arity{0, Any}, Arity{1, Any}, takes([]want{anything}, said(needsType)), "graph").slow()
)

func ownCall(role string) *Op {
	o := call(role, "Call", Arity{0, Any}, Arity{0, Any}, takes([]want{anything}, said(needsType)))
	o.Peer.Method = ""
	return o
}
