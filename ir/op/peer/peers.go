package peer

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Operators that return peers.
var (
	// PeersOf returns all admitted peers of the class "class", by rank. The operator is called Peers.
	PeersOf = service("Peers", []op.Port{after}, []op.Port{{Name: "peers"}}, gives(a(Peers)), op.Attr{Name: "class", Kind: op.String, Arg: true}).all().Op

	// PeerInTurn returns one peer of the class "class", a different one for each execution. All calls in the
	// same execution return the same peer.
	PeerInTurn = service("PeerInTurn",
		[]op.Port{after}, []op.Port{{Name: "peers"}},
		gives(a(Peers)), op.Attr{Name: "class", Kind: op.String, Arg: true}).ofFrame().inTurn().Op

	// AwaitPeers is [PeersOf] as soon as "at_least" of them are connected.
	AwaitPeers = service("AwaitPeers",
		[]op.Port{after}, []op.Port{{Name: "peers"}},
		gives(a(Peers)), op.Attr{Name: "class", Kind: op.String, Arg: true}, op.Attr{Name: "at_least", Kind: op.Int, Arg: true}).as(op.KindWait).ofFrame().all().Op

	// Self returns the peer itself.
	Self = service("Self", []op.Port{after}, []op.Port{{Name: "peer"}}, gives(a(Peer1))).itself().Op
)

// Gates: each returns its first input, or fails.
var (
	// DedupGateRx passes one value of a peer for each tag, which the sender created (see [CorrelateTag]).
	DedupGateRx = service("DedupGateRx",
		[]op.Port{{Name: "value"}, {Name: "from", Types: aPeer}, {Name: "tag", Types: rank0(tensor.Uint64)}}, []op.Port{{Name: "value"}},
		gives(asInput(0)), op.Attr{Name: NameAttr, Kind: op.String}).of("Window", "Admit").passes().fails().Op

	// PeerHealthGateRx passes a value if the peer that sent it is not down.
	PeerHealthGateRx = service("PeerHealthGateRx",
		[]op.Port{{Name: "value"}, {Name: "from", Types: aPeer}}, []op.Port{{Name: "value"}},
		gives(asInput(0))).passes().calls("CheckHealth").fails().Op

	// BackoffGateRx passes a value if its sender is not in backoff.
	BackoffGateRx = service("BackoffGateRx",
		[]op.Port{{Name: "value"}, {Name: "from", Types: aPeer}}, []op.Port{{Name: "value"}},
		gives(asInput(0))).passes().calls("CheckBackoff").fails().Op

	// PeerHealthGateTx returns the peers that are not down.
	PeerHealthGateTx = service("PeerHealthGateTx", []op.Port{{Name: "peers", Types: peerSet}}, []op.Port{{Name: "peers"}}, gives(a(Peers))).calls("Healthy").Op

	// BackoffGateTx returns the peers that are not in backoff.
	BackoffGateTx = service("BackoffGateTx", []op.Port{{Name: "peers", Types: peerSet}}, []op.Port{{Name: "peers"}}, gives(a(Peers))).calls("Willing").Op
)

// The address book.
var (
	// BookInsert records an address at which a peer may be reached.
	BookInsert = service("Insert",
		[]op.Port{{Name: "peer", Types: aPeer}, {Name: "address", Types: anAddress}}, []op.Port{{Name: "done", Types: aTrigger, Optional: true}},
		gives(triggered)).in(BookDomain).calls("InsertAddress").fails().Op

	// BookInsertMany is [BookInsert] for several addresses of a peer.
	BookInsertMany = service("InsertMany",
		[]op.Port{{Name: "peer", Types: aPeer}, {Name: "addresses", Types: anAddress, Variadic: true, Mixed: true, Min: 1}}, []op.Port{{Name: "done", Types: aTrigger, Optional: true}},
		gives(triggered)).in(BookDomain).calls("InsertAddress").fails().Op

	// BookLookup returns the latest recorded address of a peer.
	BookLookup = service("Lookup", []op.Port{{Name: "peer", Types: aPeer}}, []op.Port{{Name: "address"}}, gives(a(Address1))).in(BookDomain).calls("LookupAddress").fails().Op
)

func (o row) in(domain string) row {
	o.Domain = domain
	return o
}

// inTurn sets [op.Peer.InTurn].
func (o row) inTurn() row {
	o.Peer.InTurn = true
	return o
}

// itself sets [op.Peer.Itself].
func (o row) itself() row {
	o.Peer.Itself = true
	return o
}

// all sets [op.Peer.All].
func (o row) all() row {
	o.Peer.All = true
	return o
}
