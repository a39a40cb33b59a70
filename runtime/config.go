package runtime

import (
	"github.com/bbgen/bbgen/runtime/internal/random"
	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Config configures a Node. The host sets it.
type Config struct {
	Self        wire.PeerID
	Rank        int    // among the peers of its class
	Incarnation uint64 // larger at each start: the maximum of the last one + 1 and the time in ns
	Seed        uint64 // of the program; the peer's own seed is derived from it, its class and its rank
	Peers       []PeerConfig
	Processors  int           // of this machine, which its peers share; 0: not known
	Book        *AddressBook  // further peers, in a book that Nodes of the process share; may be nil
	Limits      limits.Limits // DefaultLimits if its Ops are 0
	KernelLevel string        // the level of the kernels, which decides the last bits of results
	BuildID     string
	Accept      []byte // the fingerprint of another program whose peers and snapshots are accepted: its shared edges are the same

	// Identity is that of the peer. With it, peers of a collective sign what they report when one of them is lost or joins,
	// and a peer believes no report that its author has not signed. If it is nil, which it must be on all peers then, they
	// believe what others pass on.
	Identity Identity

	// Durable is true if the host keeps snapshots. Then nothing leaves the Node that a restart could undo:
	// envelopes, acknowledgements and events of executions wait for the snapshot that holds their cause.
	Durable bool

	// Heartbeat is the interval in ns at which the host pings peers and reports their answers with Alive. A
	// peer that is silent for much longer is considered dead. It is 0 if the host sends no pings.
	// [Node.SetHeartbeat] sets a longer one for a peer.
	Heartbeat int64

	// Hold makes modules that run from the start wait until the host calls Launch.
	Hold bool

	// Resend is the initial time in ns after which an unacknowledged envelope is sent again, on channels that
	// lose envelopes. It is 0 on channels that lose envelopes only when they break.
	Resend int64

	// Spool is where the host keeps large values. If it is nil, they are kept in memory and in snapshots.
	Spool values.Spool

	// Sum256 is [sha256.Sum256], for envelopes that name their sender by the hash of its key. If it is nil, they
	// are refused. This package does not import it, as compiled models without peers import this package.
	Sum256 func([]byte) [32]byte

	// Trace, if not nil, is called before each block runs.
	Trace func(Step)

	// Span, if not nil, is called at the end of each part of an execution, with a span that is borrowed. It must
	// not call the Node.
	Span func(*Span)
}

// A Step identifies a block that runs.
type Step struct {
	At            int64
	Module, Block string
	Exec          wire.ExecID
	Peer          wire.PeerID // the sender, in a child frame
}

// SeedOf returns the seed of a peer: a hash of the program's seed, its class and its rank. So no two peers draw
// the same random numbers, and a peer draws the same ones on every machine.
func SeedOf(seed uint64, class string, rank int) uint64 { return random.SeedOf(seed, class, rank) }
