package op

import "github.com/bbgen/bbgen/runtime/tensor"

// Who is there.
var (
	// PeersOf are all admitted peers of the class "class", by rank. The operator is
	// called Peers.
	PeersOf = service("Peers", after, One, takes(triggers, a(Peers)), "class")

	// PeerInTurn is one peer of the class "class", another one for each execution:
	// all that ask in the same execution are told the same.
	PeerInTurn = service("PeerInTurn", after, One, takes(triggers, a(Peers)), "class").ofFrame()

	// AwaitPeers is [PeersOf] as soon as "at_least" of them are connected.
	AwaitPeers = service("AwaitPeers", after, One, takes(triggers, a(Peers)), "class", "at_least").as(KindWait).ofFrame()

	// Self is the peer itself.
	Self = service("Self", after, One, takes(triggers, a(Peer1)))
)

// Gates: each passes its first input on, or fails.
var (
	// DedupGateRx lets one value of a peer through for each tag, which the sender
	// gave it (see [CorrelateTag]).
	DedupGateRx = service("DedupGateRx", Three, One, takes([]want{anything, aPeer, rank0(tensor.Uint64)}, asInput(0))).of("Window", "Admit").passes()

	// PeerHealthGateRx lets a value through if the peer that it came from is not
	// down.
	PeerHealthGateRx = service("PeerHealthGateRx", Two, One, takes([]want{anything, aPeer}, asInput(0))).passes().calls("CheckHealth")

	// BackoffGateRx lets a value through if its sender is not out of favour.
	BackoffGateRx = service("BackoffGateRx", Two, One, takes([]want{anything, aPeer}, asInput(0))).passes().calls("CheckBackoff")

	// PeerHealthGateTx are those of its peers that are not down.
	PeerHealthGateTx = service("PeerHealthGateTx", One, One, takes([]want{peerSet}, a(Peers))).calls("Healthy")

	// BackoffGateTx are those of its peers that are not to be left alone for now.
	BackoffGateTx = service("BackoffGateTx", One, One, takes([]want{peerSet}, a(Peers))).calls("Willing")
)

// The address book.
var (
	// BookInsert notes that a peer may be reached at an address.
	BookInsert = service("Insert", Two, Arity{0, 1}, takes([]want{aPeer, anAddress}, triggered)).in(BookDomain).calls("InsertAddress")

	// BookInsertMany is [BookInsert] for several addresses of a peer.
	BookInsertMany = service("InsertMany", Arity{2, Any}, Arity{0, 1}, takes([]want{aPeer, anAddress}, triggered)).in(BookDomain).calls("InsertAddress")

	// BookLookup is the address of a peer that was noted last.
	BookLookup = service("Lookup", One, One, takes([]want{aPeer}, a(Address1))).in(BookDomain).calls("LookupAddress")
)

func (o *Op) in(domain string) *Op {
	o.Domain = domain
	return o
}
