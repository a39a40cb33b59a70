package partitioner

import (
	"time"

	"github.com/bbgen/bbgen/artifact"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Program is a distributed program, cut.
type Program struct {
	Name        string
	Fingerprint []byte // SHA-256 of the canonical edge table and of what crosses it
	Edges       []*Edge
	Parts       []*Partition // in the order of their classes' names
}

// Edge is a way from a class to a class. Every partition has the whole table.
type Edge struct {
	Index    int
	ID       wire.EdgeID
	Hash     wire.TypeHash
	Name     string // client.updated_params
	Text     string // canonical: what ID is the hash of
	From, To string // classes
	Type     ir.Type
	Trigger  bool // no consumer reads the value

	Collective *Collective   // what the peers of the class compute together on it; nil: values cross it
	Depth      int           // edges on the longest path up to and with this one
	Origins    []string      // classes of others whose executions its sender goes on with, sorted
	InTurn     bool          // it leads to one peer of the class, which others know to be the one
	Named      bool          // who its peers are is said when the program runs
	Deadline   time.Duration // from the send until the value counts as missing; 0: none
	Pos        string        // the author's file:line
}

// Collective is what peers of one class compute together, and what follows when one of
// them is down.
type Collective struct {
	collective.Spec
	IfLost collective.IfLost
	State  []string // slots that a peer is given which joins
}

// Partition is what peers of one class run.
type Partition struct {
	Program *Program
	Class   string
	Slots   []*Slot
	Modules []*Module // activities, and behind each its child modules
}

// Slot is a place for a component. Calls on it run one at a time; slots of one
// Group, too.
type Slot struct {
	Name    string
	Role    string // Model, Aggregator, …; as in the role's domain
	Group   int    // number of the serial queue of its commands
	Binding *artifact.Binding
}

// Module is one activity of a class: all that one execution does there, from
// what opens it to its last block. A child module is the part of one that runs
// once for each peer of a set.
type Module struct {
	Name   string
	Cuts   []*Cut
	Blocks []*Block
	Fields []*ir.Value // values that outlive the block that defines them, cut values first

	Parent *Module // of a child
	Gather *Cut    // the parent's cut point that it belongs to

	Open      *ir.Node      // the node that opens it, with its attributes; nil: a fill or the host does
	Inputs    []*Cut        // what the host gives when it invokes the module
	Start     bool          // opens once when the peer runs: the first round
	Every     time.Duration // a timer opens it; 0: none
	On        []string      // events that open it, by their names in package runtime
	Bootstrap bool          // runs before anything else is let in
	Rounds    int           // how many executions follow each other; 0: no loop
	Short     string        // what follows one without a quorum: one of op.ShortRounds; "": nothing
	Patience  time.Duration // for how long one waits, if it does; 0: for ever
	Again     *Cut          // behind which that begins
}

// CutKind says where a cut point's value comes from.
type CutKind uint8

// The kinds of cut points, as in package runtime.
const (
	Input    CutKind = iota // the host, or the round before
	Fill                    // one fill of an edge
	Gather                  // the child frames of a set of peers
	Command                 // a role's method that the host runs, or a computation
	Timer                   // the clock
	Event                   // the engine: a queue has something, peers are there
	Local                   // a block of the same frame that not every reader waits for
	Together                // what the peers of the class compute together
)

// Cut is a cut point.
type Cut struct {
	Index  int
	Kind   CutKind
	Name   string
	Node   *ir.Node    // what it stands for: a Recv, a call, a wait; nil for Input
	Values []*ir.Value // what it brings, in order
	Edge   *Edge       // of Fill and Together
	Sender *ir.Value   // of Fill: the value that is the peer it came from, nil if nobody reads it
	Slot   *Slot       // of Command; nil: the computing slot
	Body   *Compute    // of a Command without a Slot

	// Of Gather: its child module and who is asked. Within is 0 where the
	// deadline adapts. Of Fill: Within is how long it is waited for; 0: for ever.
	Child  *Module
	Peers  *ir.Value
	Quorum int
	Within time.Duration
}

// Block is straight-line code: it runs when the cut points in Wait have come. Of
// those that become ready at once, the one of the smaller Index runs first: it may
// compute what another one reads.
type Block struct {
	Index  int
	Name   string
	Wait   []*Cut
	Any    bool // one of them is enough
	Starts []*Cut
	Needs  []*Block // blocks that may fail, whose values it reads: it does not run if one of them has failed
	Steps  []Step   // in order
	Ops    int      // for the budget of a Poll
}

// Step is one thing that a block does: a node other than a computation, or a
// computation. A step that has a Cut brings it about, and a Recv with peers is
// where they are expected. A step with a Cut alone, a Local one, says that its
// values are there.
type Step struct {
	Node    *ir.Node // of the table's Peer column
	Edge    *Edge    // of a Send
	Cut     *Cut     // that the step starts, if it starts one
	From    []*Cut   // of a First: the cut points that its inputs come with
	Fold    *Module  // of a Fold: the child module whose frames it goes through
	Into    *Cut     // of a Fold: the command that does it first; nil: the block does, or Cut alone
	Next    *Module  // of a Next: what it opens
	Again   bool     // of a Next: in place of another one, after a round without a quorum
	Compute *Compute
}

// Compute is nodes that compute, as a function of their own.
type Compute struct {
	Name  string
	Func  *ir.Func // parameters are copies of the values in Args, results of those in Outs
	Args  []*ir.Value
	Outs  []*ir.Value
	FLOPs int64 // -1 if that depends on sizes known only when it runs
}
