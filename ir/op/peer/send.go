package peer

import "github.com/bbgen/bbgen/ir/op"

// The inputs of [Send]. Further sets of peers follow.
const (
	SentValue = iota
	SentTo
)

// Send sends a value to peers. The attribute "port" names the edge, "to" the
// class of the peers. The output is the value on the receiving peers, and its readers run there. Output 1 is
// the sender, also on the receiving peers. If "apart" is not 0, the value starts a new execution. If "named"
// is not 0, the host or another peer names the peers at run time.
var Send = &op.Op{
	Name:   "Send",
	Domain: WireDomain,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "apart", Kind: op.Int, Default: 0},
		{Name: "deadline_ns", Kind: op.Int, Default: 0},
		{Name: "named", Kind: op.Int, Default: 0},
		phase,
		{Name: "port", Kind: op.String},
		{Name: "to", Kind: op.String},
	},
	Inputs:  []op.Port{SentValue: {Name: "value"}, SentTo: {Name: "peers", Types: somePeers, Variadic: true, Mixed: true, Min: 1}},
	Outputs: []op.Port{{Name: "value"}, {Name: "from", Types: aPeer, Optional: true}},
	Infer:   gives(asInput(0), a(Peer1)),
	Effect:  true,
	Peer:    &op.Peer{Kind: op.KindSend},
	Stops:   op.StopEngine,
}

// Recv is the end of the edge with the attribute "port". Its outputs are the value and its sender. Input 0 is
// the set of peers that are expected to send, each a value of its own. If "within_ns" is set, the execution
// waits for at most that many nanoseconds.
var Recv = &op.Op{
	Name:   "Recv",
	Domain: WireDomain,
	Since:  []int{1},
	Attrs: []op.Attr{
		phase,
		{Name: "port", Kind: op.String},
		{Name: TypesAttr, Kind: op.Strings},
		{Name: "within_ns", Kind: op.Int, Default: 0},
	},
	Inputs:  []op.Port{{Name: "peers", Types: peerSet, Optional: true}},
	Outputs: []op.Port{{Name: "value"}, {Name: "from", Types: aPeer, Optional: true}},
	Infer:   gives(said(needsType), a(Peer1)),
	Effect:  true,
	Peer:    &op.Peer{Kind: op.KindRecv},
	Stops:   op.StopEngine,
}
