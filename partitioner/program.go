package partitioner

import (
	"time"

	"github.com/bbgen/bbgen/artifact"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/target"
	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Program is a distributed program after [Make].
type Program struct {
	Name        string
	Fingerprint []byte // SHA-256 of the canonical edge table and of the modules' crossings
	Edges       []*Edge
	Parts       []*Partition   // in the order of the names of their classes
	Target      *target.Target // the machine of the peers
}

// Edge is a connection from one class to another. Every partition has the table of all edges.
type Edge struct {
	Index    int
	ID       wire.EdgeID
	Hash     wire.TypeHash
	Name     string // such as client.updated_params
	Text     string // canonical text; ID is its hash
	From, To string // classes
	Type     ir.Type
	Trigger  bool // the value is not read

	Collective *Collective   // the collective that the peers of the class run on it; nil: it carries values
	Depth      int           // number of edges on the longest path that ends with this one
	Origins    []string      // other classes that begin executions which its sender continues, sorted
	InTurn     bool          // it leads to one peer of the class, in turn; all senders of an execution select the same
	Named      bool          // the receiving peers are named at run time
	Deadline   time.Duration // from the send until the value counts as missing; 0: none
	Pos        string        // the author's file:line
}

// Collective is an operation that the peers of one class compute together, and the reaction to a peer that is
// down.
type Collective struct {
	collective.Spec
	IfLost collective.IfLost
	State  []string // slots of which a joining peer receives the state
}

// Partition is the part of a program that the peers of one class run.
type Partition struct {
	Program *Program
	Class   string
	Slots   []*Slot
	Modules []*Module // activities, each followed by its child modules
}

// Slot is a place for a component. Calls on it run one at a time, and so do calls on slots of the same Group.
type Slot struct {
	Name    string
	Role    string // Model, Aggregator, …; as in the role's domain
	Group   int    // number of the serial queue of its commands
	Binding *artifact.Binding
}

// Module is one activity of a class: all that one execution does there, from its opening to its last block. A
// child module is the part of one that runs once for each peer of a set.
type Module struct {
	Name   string
	Cuts   []*Cut
	Blocks []*Block
	Fields []*ir.Value // values that outlive the block that defines them, cut values first

	Parent *Module // of a child
	Gather *Cut    // the parent's cut point that a child belongs to

	Open      *ir.Node      // the node that opens it, with its attributes; nil if a fill or the host does
	Inputs    []*Cut        // the inputs with which the host invokes the module
	Start     bool          // opens once when the peer starts: the first round
	Every     time.Duration // a timer opens it; 0: none
	On        []string      // events that open it, by their names in package runtime
	Bootstrap bool          // runs before the peer accepts input
	Rounds    int           // number of consecutive executions; 0: no loop
	Short     string        // reaction to a round without a quorum: one of [peer.ShortRounds]; "": none
	Patience  time.Duration // how long a round waits for its quorum; 0: forever
	Again     *Cut          // the cut point after which a failed round is followed by the next
}

// top returns the module that m is a child of, or m itself.
func (m *Module) top() *Module {
	if m.Parent != nil {
		return m.Parent
	}
	return m
}

// CutKind is the source of a cut point's values.
type CutKind uint8

// The kinds of cut points, as in package runtime.
const (
	Input    CutKind = iota // the host, or the round before
	Fill                    // one fill of an edge
	Gather                  // the child frames of a set of peers
	Command                 // a role's method that runs on the host's worker, or a computation
	Timer                   // the clock
	Event                   // the engine: a queue has an element, or peers are connected
	Local                   // a block of the same frame that not every reader waits for
	Together                // a collective
)

// Cut is a cut point.
type Cut struct {
	Index  int
	Kind   CutKind
	Name   string
	Node   *ir.Node    // the Recv, call or wait that it represents; nil for Input
	Values []*ir.Value // the values that arrive, in order
	Edge   *Edge       // of Fill and Together
	Sender *ir.Value   // of Fill: the value that is the sending peer, or nil if it is not read
	Slot   *Slot       // of Command; nil: the computing slot
	Body   *Compute    // of a Command without a Slot

	// Of Gather: its child module and the peers that are asked. Within is 0 if the deadline is adaptive. Of
	// Fill: Within limits the wait; 0: forever.
	Child  *Module
	Peers  *ir.Value
	Quorum int
	Within time.Duration
}

// Block is straight-line code that runs when the cut points in Wait have come. If several become ready at
// once, the one with the smallest Index runs first, as it may compute values that another one reads.
type Block struct {
	Index  int
	Name   string
	Wait   []*Cut
	Any    bool // one of the cut points is enough
	Starts []*Cut
	Needs  []*Block // blocks that may fail and compute its inputs: it does not run if one of them has failed
	Steps  []Step   // in order
	Ops    int      // for the budget of a Poll
}

// Step is one action of a block: a node other than a computation, or a computation. A step with a Cut starts
// it; a Recv with peers starts to wait for them. A step with only a Cut, which is Local, reports that its
// values are present.
type Step struct {
	Node    *ir.Node // of the table's Peer column
	Edge    *Edge    // of a Send
	Apart   *ir.Node // of a Send that starts an execution: the Send as written, which all parts of a bundle share
	Cut     *Cut     // the cut point that the step starts, or nil
	From    []*Cut   // of a First: the cut points of its inputs
	Fold    *Module  // of a Fold: the child module of the frames it iterates over
	Into    *Cut     // of a Fold: the command that folds first; nil: the block does, or Cut alone
	Next    *Module  // of a Next: the module that it opens
	Again   bool     // of a Next: it replaces another one, after a round without a quorum
	Compute *Compute
}

// Compute is a function of nodes that compute.
type Compute struct {
	Name  string
	Func  *ir.Func // its parameters are copies of the values in Args, its results of those in Outs
	Args  []*ir.Value
	Outs  []*ir.Value
	FLOPs int64 // -1 if that depends on sizes known only at run time
}
