package peer

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Who is there.
var (
	// PeersOf are all admitted peers of the class "class", by rank. The operator is
	// called Peers.
	PeersOf = service("Peers", []op.Port{after}, []op.Port{{Name: "peers"}}, gives(a(Peers)), op.Attr{Name: "class", Kind: op.String, Arg: true}).all().Op

	// PeerInTurn is one peer of the class "class", another one for each execution:
	// all that ask in the same execution are told the same.
	PeerInTurn = service("PeerInTurn",
		[]op.Port{after}, []op.Port{{Name: "peers"}},
		gives(a(Peers)), op.Attr{Name: "class", Kind: op.String, Arg: true}).ofFrame().inTurn().Op

	// AwaitPeers is [PeersOf] as soon as "at_least" of them are connected.
	AwaitPeers = service("AwaitPeers",
		[]op.Port{after}, []op.Port{{Name: "peers"}},
		gives(a(Peers)), op.Attr{Name: "class", Kind: op.String, Arg: true}, op.Attr{Name: "at_least", Kind: op.Int, Arg: true}).as(op.KindWait).ofFrame().all().Op

	// Self is the peer itself.
	Self = service("Self", []op.Port{after}, []op.Port{{Name: "peer"}}, gives(a(Peer1))).itself().Op
)

// Gates: each passes its first input on, or fails.
var (
	// DedupGateRx lets one value of a peer through for each tag, which the sender
	// gave it (see [CorrelateTag]).
	DedupGateRx = service("DedupGateRx",
		[]op.Port{{Name: "value"}, {Name: "from", Types: aPeer}, {Name: "tag", Types: rank0(tensor.Uint64)}}, []op.Port{{Name: "value"}},
		gives(asInput(0)), op.Attr{Name: NameAttr, Kind: op.String}).of("Window", "Admit").passes().fails().Op

	// PeerHealthGateRx lets a value through if the peer that it came from is not
	// down.
	PeerHealthGateRx = service("PeerHealthGateRx",
		[]op.Port{{Name: "value"}, {Name: "from", Types: aPeer}}, []op.Port{{Name: "value"}},
		gives(asInput(0))).passes().calls("CheckHealth").fails().Op

	// BackoffGateRx lets a value through if its sender is not out of favour.
	BackoffGateRx = service("BackoffGateRx",
		[]op.Port{{Name: "value"}, {Name: "from", Types: aPeer}}, []op.Port{{Name: "value"}},
		gives(asInput(0))).passes().calls("CheckBackoff").fails().Op

	// PeerHealthGateTx are those of its peers that are not down.
	PeerHealthGateTx = service("PeerHealthGateTx", []op.Port{{Name: "peers", Types: peerSet}}, []op.Port{{Name: "peers"}}, gives(a(Peers))).calls("Healthy").Op

	// BackoffGateTx are those of its peers that are not to be left alone for now.
	BackoffGateTx = service("BackoffGateTx", []op.Port{{Name: "peers", Types: peerSet}}, []op.Port{{Name: "peers"}}, gives(a(Peers))).calls("Willing").Op
)

// The address book.
var (
	// BookInsert notes that a peer may be reached at an address.
	BookInsert = service("Insert",
		[]op.Port{{Name: "peer", Types: aPeer}, {Name: "address", Types: anAddress}}, []op.Port{{Name: "done", Types: aTrigger, Optional: true}},
		gives(triggered)).in(BookDomain).calls("InsertAddress").fails().Op

	// BookInsertMany is [BookInsert] for several addresses of a peer.
	BookInsertMany = service("InsertMany",
		[]op.Port{{Name: "peer", Types: aPeer}, {Name: "addresses", Types: anAddress, Variadic: true, Mixed: true, Min: 1}}, []op.Port{{Name: "done", Types: aTrigger, Optional: true}},
		gives(triggered)).in(BookDomain).calls("InsertAddress").fails().Op

	// BookLookup is the address of a peer that was noted last.
	BookLookup = service("Lookup", []op.Port{{Name: "peer", Types: aPeer}}, []op.Port{{Name: "address"}}, gives(a(Address1))).in(BookDomain).calls("LookupAddress").fails().Op
)

func (o row) in(domain string) row {
	o.Domain = domain
	return o
}

// inTurn has the output be other peers in each execution.
func (o row) inTurn() row {
	o.Peer.InTurn = true
	return o
}

// itself has the output be the peer that the node runs on.
func (o row) itself() row {
	o.Peer.Itself = true
	return o
}

// all says that the output is all peers of a class.
func (o row) all() row {
	o.Peer.All = true
	return o
}
