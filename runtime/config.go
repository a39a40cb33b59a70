package runtime

import (
	"bytes"
	"fmt"

	"github.com/bbgen/bbgen/runtime/classes"
	"github.com/bbgen/bbgen/runtime/internal/random"
	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Config is what a host decides about a peer.
type Config struct {
	Self        wire.PeerID
	Rank        int    // among the peers of its class
	Incarnation uint64 // larger at each start: the larger of the last one + 1 and the time in ns
	Seed        uint64 // of the program; the peer's own follows from it, its class and its rank
	Peers       []PeerConfig
	Book        *AddressBook // more peers, which the Node shares with others of the process; nil: none
	Limits      Limits       // DefaultLimits if its Ops are 0
	KernelLevel string       // which bits its arithmetic gives
	BuildID     string
	Accept      []byte // the fingerprint of one more program whose peers are let in, and whose snapshots are taken: its shared edges are the same

	// Durable says that the host keeps snapshots. Then nothing leaves the Node
	// that a restart could take back: envelopes, acknowledgements and what is told
	// of executions wait for the snapshot that holds what they tell.
	Durable bool

	// Heartbeat is how often, in ns, the host asks peers for a sign of life, whose
	// answers it lets the Node know of with Alive: a peer that is silent for much
	// longer is a dead one. It is 0 if the host does not.
	Heartbeat int64

	// Hold says that modules that run from the start wait until the host calls
	// Launch.
	Hold bool

	// Resend is how long an acknowledgement is waited for at first on channels
	// that lose envelopes, ns. It is 0 on channels that lose none but by
	// breaking.
	Resend int64

	// Spool, if not nil, is where the host keeps large values. Without one they
	// stay in memory, and stand in snapshots.
	Spool Spool

	// Trace, if not nil, is told of each block before it runs.
	Trace func(Step)
}

// Step is a block that runs.
type Step struct {
	At            int64
	Module, Block string
	Exec          wire.ExecID
	Peer          wire.PeerID // the sender, in a child frame
}

// Hello returns what the Node says first on every channel.
func (n *Node) Hello() wire.Hello {
	return wire.Hello{
		Protocol:    wire.Protocol,
		Fingerprint: n.partition.Fingerprint,
		Classes:     classes.Split(n.partition.Class),
		Incarnation: n.config.Incarnation,
		Fresh:       !n.restored,
		MaxEnvelope: uint64(n.limits.Wire.Envelope),
		MaxFill:     uint64(n.limits.Wire.Fill),
		KernelLevel: n.config.KernelLevel,
		BuildID:     n.config.BuildID,
	}
}

// accepts reports whether a program is this one, or the one that the host accepts besides.
func (n *Node) accepts(fingerprint []byte) bool {
	return bytes.Equal(fingerprint, n.partition.Fingerprint) || len(n.config.Accept) > 0 && bytes.Equal(fingerprint, n.config.Accept)
}

// checkHello says why a peer cannot take part, if so. The class that it claims
// must be the one that it was admitted with.
func (n *Node) checkHello(p *peer, h *wire.Hello) error {
	switch {
	case h.Protocol != wire.Protocol:
		return fmt.Errorf("%w: it speaks %d, this peer %d: bring both to one version of bbgen", ErrProtocol, h.Protocol, wire.Protocol)
	case !n.accepts(h.Fingerprint):
		return fmt.Errorf("%w: it runs %x, this is %x: build both from one program, or start the newer with -accept", ErrProgram, h.Fingerprint, n.partition.Fingerprint)
	case !classes.Is(classes.Join(h.Classes...), p.Class):
		return fmt.Errorf("%w: it claims %q, is admitted as %q: invite it as what it is", ErrClass, h.Classes, p.Class)
	case h.MaxFill > 0 && h.MaxFill < limits.MinTaken, h.MaxEnvelope > 0 && h.MaxEnvelope < limits.MinTaken:
		return fmt.Errorf("%w: fills of %d bytes and envelopes of %d, want %d at least: raise its limits", ErrTooLittle, h.MaxFill, h.MaxEnvelope, limits.MinTaken)
	case h.Incarnation == 0:
		return fmt.Errorf("%w: it has none", ErrIncarnation)
	case h.Incarnation < p.incarnation:
		return fmt.Errorf("%w: %d, seen %d: another process has its key, or its clock went back", ErrIncarnation, h.Incarnation, p.incarnation)
	}
	return nil
}

// SeedOf returns the seed of a peer: a hash of the program's seed, its class and
// its rank, so that no two peers draw the same numbers and a peer draws the
// same ones wherever it runs.
func SeedOf(seed uint64, class string, rank int) uint64 { return random.SeedOf(seed, class, rank) }

// How much there may be of what grows is said by package limits. The types are aliases, as
// hosts write their names.
type (
	// Limits bound every queue and table of a [Node]. They grow as they are used;
	// what is beyond a limit is dropped, counted and told as an [Overflow] event, or
	// refused with an error where somebody is there to hear it.
	Limits = limits.Limits

	// Machine is what a Node may use of the machine that it runs on. Its host finds out.
	Machine = limits.Machine
)

// DefaultLimits returns the limits of a peer on a server or desktop.
func DefaultLimits() Limits { return limits.Default() }

// EdgeLimits returns the limits of a peer on a small device.
func EdgeLimits() Limits { return limits.Edge() }

// LimitsFor returns the limits of a peer on a machine: the defaults, or less where
// those would be more than the machine has.
func LimitsFor(m Machine) Limits { return limits.For(m) }
