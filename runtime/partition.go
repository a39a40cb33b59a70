package runtime

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/internal/estimate"
	"github.com/bbgen/bbgen/runtime/internal/quorum"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// A Partition describes the part of a distributed program that a generated package runs: constant tables, and
// functions that make the frames of its code.
type Partition struct {
	Class       string // of the peers that run it
	Fingerprint []byte // of the whole program
	Schema      uint64 // hash of the layout of frames and components, for snapshots
	Edges       []Edge
	Modules     []Module
	Slots       []string    // names of the component slots; commands identify slots by number
	Components  []Component // the components with state in snapshots, in the order of their slots
	Commanded   []int       // for each component its slot if commands call it, or -1 if blocks do; nil: blocks call all components that gather
	Stores      []Store     // the named stores that the engine keeps for the program
}

// An Edge is a row of the program's edge table. Both ends have the same table.
type Edge struct {
	ID      wire.EdgeID
	Type    wire.TypeHash
	Name    string // for messages to users: client.updated_params
	From    string // class of the peers that may send on it
	To      string // class of the receivers, if they are chosen at run time
	Trigger bool   // carries no payload
	Dims    int    // the number of open dimensions of its type
	Within  int64  // ns that the receiver's part of an execution may take; 0: the limit of its cause
	Size    int    // bytes of a payload; 0 if it depends on the open dimensions
	Most    int    // maximum bytes of a payload, if its author sets it; 0: given by the type
	InParts bool   // the receiver reads the payload in parts, or not at all: it may stay in a file

	// Origins are the classes of peers that begin executions which the sender continues on this edge. It also sends
	// on this edge in its own executions, and in those of the receiving peer.
	Origins []string

	// Collective, if not nil, describes the collective operation of the edge, which leads to the peers' own
	// class.
	Collective *Collective

	// Receives reports whether this partition receives on the edge. Then fills go to a cut point of a module.
	Receives    bool
	Module, Cut int
}

// A Module is a module of the program, or the part of a module that runs once for each sender. Its code is
// straight-line blocks between cut points: values that arrive while no code of the module runs.
type Module struct {
	Name   string
	New    func() Body
	Blocks []Block
	Cuts   []Cut
	Inputs []int // the cut points that Invoke sets

	// Answers are the modules that fills of other peers open here, in the executions that Invoke begins with
	// this module: they receive the answers.
	Answers []int

	// Child is true if a frame belongs to a sender: it is opened for a Gather cut of the module Parent, by the
	// first fill of the sender.
	Child             bool
	Parent, ParentCut int

	Start     bool        // an execution begins when the node starts without a snapshot
	Every     int64       // interval in ns between executions that a timer opens; 0: none
	On        []EventKind // events that open an execution
	Named     string      // only events of this name; "": all
	Bootstrap bool        // runs once at the start, before all other modules; with Inputs, when the host invokes it

	// Loop reports whether this is a loop of rounds: one execution begins the next, which takes its Inputs from it.
	// The host gives it none.
	Loop bool

	// Short is the policy for a round without a quorum. If the loop then continues, the block that waits for
	// the TimerCut Again begins the next round, in place of the block that starts this cut point.
	//
	// A waiting round fails when it has waited for Patience ns, and the loop ends; 0: never.
	Short    ShortPolicy
	Again    int
	Patience int64

	// For joined partitions: the number of the module's target, and of the target's first module.
	target, base int
}

// A Block is one run of straight-line code.
type Block struct {
	Name   string
	Wait   uint64 // the cut points that it needs; none: it runs when the frame opens
	Any    bool   // one of them is enough
	Starts uint64 // the cut points that it starts: commands, timers and gathers

	// Cut points from number 64 on have no bit above, and are listed here.
	AlsoWait, AlsoStarts []int

	// Sends are the edges on which it sends in its own execution. If it fails, the receivers are told.
	Sends []Sending

	// Needs are the blocks that compute what it reads: it does not run if one of them has failed.
	Needs []int

	Ops int // its cost in the budget of a Poll
}

// CutKind is the source of the value of a cut point.
type CutKind uint8

// The kinds of cut points.
const (
	InputCut      CutKind = iota // the host, with Invoke
	FillCut                      // one fill from a peer
	GatherCut                    // fills from a set of peers, a child frame each
	CommandCut                   // a role's method that the host runs
	TimerCut                     // the clock
	EventCut                     // the engine: a queue has a value, peers are connected
	LocalCut                     // a block of the same frame, with Bring
	CollectiveCut                // a collective of the peers, with Collect
)

var cutNames = [...]string{"input", "fill", "gather", "command", "timer", "event", "local", "collective"}

// String returns the kind in one word, such as "gather", as errors name it.
func (k CutKind) String() string {
	if int(k) < len(cutNames) {
		return cutNames[k]
	}
	return fmt.Sprintf("CutKind(%d)", k)
}

// Cut is a cut point.
type Cut struct {
	Kind   CutKind
	Name   string // of the value in the module
	Slot   int    // CommandCut: the slot of the component that it calls
	Within int64  // FillCut: ns from the opening of the frame until the fill counts as missing; 0: no limit
}

// A Body is a frame of generated code: one execution of a module on this peer. It embeds [Frame], which is the
// Node's part of it.
//
// The Node makes one call of its methods at a time. Bytes and values are borrowed until the call returns. Frame
// has default methods except for Run, so a module needs only the methods that it uses.
type Body interface {
	frame() *Frame

	Run(e *Engine, block int) error          // runs a block
	Fill(cut int, fill *wire.SlotFill) error // takes the value of a fill
	Input(cut int, v tensor.Value) error     // takes a value from Invoke
	Event(cut int, v *values.Fields) error   // takes the value of an EventCut
	Task(cut int) Task                       // the command of a cut point, ready to run
	Round() int64                            // the number of the round, for a loop that continues without a quorum
	Clear()                                  // clears the fields, so that the frame can be reused
	AppendBinary(b []byte) ([]byte, error)   // the fields that later blocks read
	UnmarshalBinary(b []byte) error          // sets them
}

// An Engine is a [Node] as the blocks of generated code see it: they start commands, send and gather values, wait, give
// values to the host, and begin the next round. The methods whose names are operators of programs compute those. None of
// them are meant to be called by hand, and none may be called outside of [Body.Run].
type Engine Node

// node returns the Node of the engine's other callers.
func (e *Engine) node() *Node { return (*Node)(e) }

// engine returns the Node as generated code sees it.
func (n *Node) engine() *Engine { return (*Engine)(n) }

// Peer returns the Node as components see it.
func (e *Engine) Peer() Peer { return e.node() }

// A Task is a command. It runs on the host's worker while the Node continues. Until it is complete, no other
// code uses the frame fields that it uses.
type Task interface{ Do() error }

// A Component is a part of the program with state of its own.
type Component interface {
	AppendBinary(b []byte) ([]byte, error)
	UnmarshalBinary(b []byte) error
}

// maxCuts is the maximum number of cut points, and of blocks, of a module.
const maxCuts = 1 << 12

// module is a Module with data that the Node derives from it.
type module struct {
	*Module
	index   int
	top     int // the module whose executions it is part of: itself, or its parent
	blocks  []block
	entry   []int      // the blocks that wait for no cut point
	timed   bool       // some cut point has a deadline
	waiters [][]uint16 // the blocks that wait for each cut point
	gathers int
	pool    []*Frame

	completes map[string]bool // by the class of an origin: see [Node.completes]

	spool       *values.Keeper // the node's
	next, again int            // the blocks that begin the next round, and that continue after a short one; -1: none
	shortRounds int            // consecutive rounds without a quorum

	quorumTimes estimate.Estimate // the time that quorums of its gathers take
	debts       quorum.Debts      // of the peers
}

// block is a Block with its cut points.
type block struct {
	*Block
	wait     container.Bitset
	starts   []int
	neededBy []int // the blocks that read its values
}

// compile derives the modules of the Node. It panics if a table is inconsistent, which is a bug of the
// generator.
func compile(p *Partition) []module {
	ms := make([]module, len(p.Modules))
	for i := range ms {
		src := &p.Modules[i]
		if len(src.Blocks) > maxCuts || len(src.Cuts) > maxCuts || len(src.Blocks) == 0 {
			panic(fmt.Sprintf("BUG: module %s has %d blocks and %d cut points, want 1 to %d", src.Name, len(src.Blocks), len(src.Cuts), maxCuts))
		}
		m := &ms[i]
		*m = module{Module: src, index: i, top: i, next: -1, again: -1, completes: map[string]bool{}, blocks: make([]block, len(src.Blocks)), waiters: make([][]uint16, len(src.Cuts))}
		if src.Child {
			m.top = src.Parent
		}
		for b := range src.Blocks {
			m.block(b)
		}
		m.findNeeds()
		for _, c := range src.Cuts {
			if c.Kind == GatherCut {
				m.gathers++
			}
			m.timed = m.timed || c.Within > 0
		}
		m.findAgain()
	}
	return ms
}

// findNeeds records for each block which others read its values.
func (m *module) findNeeds() {
	for b := range m.blocks {
		for _, needed := range m.blocks[b].Needs {
			if needed < 0 || needed >= len(m.blocks) || needed == b {
				panic(fmt.Sprintf("BUG: block %s.%s needs block %d, and there are %d", m.Name, m.blocks[b].Name, needed, len(m.blocks)))
			}
			m.blocks[needed].neededBy = append(m.blocks[needed].neededBy, b)
		}
	}
}

// findAgain finds the blocks with which a loop continues with and without a quorum.
func (m *module) findAgain() {
	if m.Short == ShortFails {
		return
	}
	m.next = slices.IndexFunc(m.blocks, func(b block) bool { return slices.Contains(b.starts, m.Again) })
	if m.next < 0 || len(m.waiters[m.Again]) != 1 {
		panic(fmt.Sprintf("BUG: module %s goes on without a quorum, and nothing does that", m.Name))
	}
	m.again = int(m.waiters[m.Again][0])
}

// block derives the data of a block.
func (m *module) block(b int) {
	src := &m.Blocks[b]
	blk := &m.blocks[b]
	*blk = block{Block: src, wait: container.NewBitset(len(m.Cuts)), starts: m.listed(src, src.Starts, src.AlsoStarts)}
	waits := m.listed(src, src.Wait, src.AlsoWait)
	for _, c := range waits {
		blk.wait.Add(c)
		m.waiters[c] = append(m.waiters[c], uint16(b))
	}
	if len(waits) == 0 {
		m.entry = append(m.entry, b)
	}
}

// listed returns the cut points of a mask and a list.
func (m *module) listed(blk *Block, mask uint64, also []int) (list []int) {
	for ; mask != 0; mask &= mask - 1 {
		list = append(list, bits.TrailingZeros64(mask))
	}
	list = append(list, also...)
	for _, c := range list {
		if c < 0 || c >= len(m.Cuts) {
			panic(fmt.Sprintf("BUG: block %s.%s names a cut point that is not there", m.Name, blk.Name))
		}
	}
	return list
}
