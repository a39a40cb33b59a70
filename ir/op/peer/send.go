package peer

import "github.com/bbgen/bbgen/ir/op"

// Send gives a value to peers: input 0 to those in the others. The attribute
// "port" names the edge, "to" the class of the peers. The output is the value as
// they have it; who reads it goes on over there. Output 1 is, over there, who sent it.
// If "apart" is not 0, what the value brings about is an execution of its own. If "named"
// is not 0, who the peers are is said when the program runs, by its host or another peer.
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
	Inputs:  []op.Port{{Name: "value"}, {Name: "peers", Types: somePeers, Variadic: true, Mixed: true, Min: 1}},
	Outputs: []op.Port{{Name: "value"}, {Name: "from", Types: aPeer, Optional: true}},
	Infer:   gives(asInput(0), a(Peer1)),
	Effect:  true,
	Peer:    &op.Peer{Kind: op.KindSend},
	Stops:   op.StopEngine,
}

// Recv is where the edge that ends in the attribute "port" arrives: the value,
// and who it came from. Input 0 is the set of peers that it is expected from,
// each with a value of its own. An execution waits for it for as many nanoseconds as
// "within_ns" says, if it does.
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
