package runtime

import (
	"cmp"

	"github.com/bbgen/bbgen/runtime/classes"
	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/internal/estimate"
	"github.com/bbgen/bbgen/runtime/internal/extremes"
	"github.com/bbgen/bbgen/runtime/internal/inbox"
	"github.com/bbgen/bbgen/runtime/internal/ledger"
	"github.com/bbgen/bbgen/runtime/internal/outbox"
	"github.com/bbgen/bbgen/runtime/wire"
)

// PeerConfig admits a peer. Authentication is not permission: a peer that is not admitted is refused.
type PeerConfig struct {
	ID        wire.PeerID
	Class     string // see [classes.Split]
	Rank      int    // among the peers of its class; class and rank order peers in the same way everywhere
	Addresses []wire.Address
	Near      bool // it runs on this machine
}

// peer is the Node's entry for another peer, or for itself.
type peer struct {
	PeerConfig
	id          wire.PeerID
	index       int // in Node.byIndex
	blocked     bool
	connected   bool
	dialing     bool
	waiting     bool // to be dialed again
	leased      bool // a lease timer runs for the executions that it has opened: see health.go
	hungUp      bool // the host was asked to close the channel: its messages are ignored
	paused      bool // the channel accepts no more messages for now
	unnumbered  bool // it sends envelopes without numbers on this connection, and acknowledges none: see unnumbered.go
	told        bool // where this peer can be dialed, on this connection
	suspect     bool
	counted     string // the class in which [census] counts it; "": in none
	incarnation uint64 // of the connection, from its Hello
	restored    uint64 // the incarnation in the snapshot from which the Node was restored; 0: none

	learned []wire.Address // where the peer has said that it can be dialed; none of them is in Addresses

	intake *intake // nil: no message waits to be read
	credit int     // operations; if negative, the next turns of the peer pay for the last one
	inbox  inbox.Inbox
	before inbox.Inbox // of the previous connection
	outbox outbox.Box

	scheduled      bool             // it is in Node.scheduled
	open, separate *outbox.Envelope // for what the running block has sent: in its own execution, and last in another one
	awaited        []*awaited

	uses     ledger.Share // of resources with a limit for all peers; its frames are those that its fills have opened, and answers to requests of these
	finished container.Fifo[*finishedBy]

	early, earlyBytes int // envelopes that came before the end of the bootstrap, and their bytes

	// The governor: consecutive failures, and the time until which the peer is ignored.
	failures     int
	ignoredUntil int64
	attempts     int // to dial, consecutive

	rtt       estimate.Estimate
	trip      extremes.Recent   // round-trip times
	silence   estimate.Estimate // between signs of life
	heartbeat int64             // see [Node.SetHeartbeat]
	lastSeen  int64
}

// compare orders peers by rank and class, independent of their names and the order of their arrival. So peers
// that share a class are in the order of their ranks, whatever their other classes. PeerIDs break ties between
// equal configurations.
func (c *PeerConfig) compare(d *PeerConfig) int {
	if x := cmp.Or(cmp.Compare(c.Rank, d.Rank), cmp.Compare(c.Class, d.Class)); x != 0 {
		return x
	}
	return c.ID.Compare(d.ID)
}

// is reports whether the peer belongs to a class.
func (p *peer) is(class string) bool { return p.Class == class || classes.Is(p.Class, class) }

func (p *peer) compare(q *peer) int { return p.PeerConfig.compare(&q.PeerConfig) }
