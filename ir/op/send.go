package op

// Send gives a value to peers: input 0 to those in the others. The attribute
// "port" names the edge, "to" the class of the peers. The output is the value as
// they have it; who reads it goes on over there. Output 1 is, over there, who sent it.
// If "apart" is not 0, what the value brings about is an execution of its own. If "named"
// is not 0, who the peers are is said when the program runs, by its host or another peer.
var Send = &Op{
	Name:   "Send",
	Domain: WireDomain,
	Since:  []int{1},
	Attrs: []Attr{
		{Name: "apart", Kind: Int, Default: 0},
		{Name: "deadline_ns", Kind: Int, Default: 0},
		{Name: "named", Kind: Int, Default: 0},
		phase,
		{Name: "port", Kind: String},
		{Name: "to", Kind: String},
	},
	Inputs:  []Port{{Name: "value"}, {Name: "peers", Types: somePeers, Variadic: true, Mixed: true, Min: 1}},
	Outputs: []Port{{Name: "value"}, {Name: "from", Types: aPeer, Optional: true}},
	Infer:   gives(asInput(0), a(Peer1)),
	Effect:  true,
	Peer:    &Peer{Kind: KindSend},
	Stops:   engine,
}

// Recv is where the edge that ends in the attribute "port" arrives: the value,
// and who it came from. Input 0 is the set of peers that it is expected from,
// each with a value of its own. An execution waits for it for as many nanoseconds as
// "within_ns" says, if it does.
var Recv = &Op{
	Name:   "Recv",
	Domain: WireDomain,
	Since:  []int{1},
	Attrs: []Attr{
		phase,
		{Name: "port", Kind: String},
		{Name: TypesAttr, Kind: Strings},
		{Name: "within_ns", Kind: Int, Default: 0},
	},
	Inputs:  []Port{{Name: "peers", Types: peerSet, Optional: true}},
	Outputs: []Port{{Name: "value"}, {Name: "from", Types: aPeer, Optional: true}},
	Infer:   gives(said(needsType), a(Peer1)),
	Effect:  true,
	Peer:    &Peer{Kind: KindRecv},
	Stops:   engine,
}

// wireOps are the edges of a program, and what crosses them together.
var wireOps = []*Op{Bundle, Recv, Send, Unbundle}
