package op

// Send gives a value to peers: input 0 to those in the others. The attribute
// "port" names the edge, "to" the class of the peers. The output is the value as
// they have it; who reads it goes on over there. Output 1 is, over there, who sent it.
// If "apart" is not 0, what the value brings about is an execution of its own.
var Send = &Op{
	Name:   "Send",
	Domain: WireDomain,
	Since:  []int{1},
	In:     Arity{2, Any},
	Out:    Arity{1, 2},
	Infer:  takes([]want{anything, somePeers}, asInput(0), a(Peer1)),
	Effect: true,
	Peer:   &Peer{Kind: KindSend},
	Stops:  engine,
}

// Recv is where the edge that ends in the attribute "port" arrives: the value,
// and who it came from. Input 0 is the set of peers that it is expected from,
// each with a value of its own. An execution waits for it for as many nanoseconds as
// "within_ns" says, if it does.
var Recv = &Op{
	Name:   "Recv",
	Domain: WireDomain,
	Since:  []int{1},
	In:     Arity{0, 1},
	Out:    Arity{1, 2},
	Infer:  takes([]want{peerSet}, said(needsType), a(Peer1)),
	Effect: true,
	Peer:   &Peer{Kind: KindRecv},
	Stops:  engine,
}

// wireOps are the edges of a program, and what crosses them together.
var wireOps = []*Op{Bundle, Recv, Send, Unbundle}
