package runtime

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Partition is what a generated package says of its part of a distributed
// program: constant tables, and how to make the frames that its code runs on.
type Partition struct {
	Class       string // of peers that run it
	Fingerprint []byte // of the whole program
	Schema      uint64 // hash of the layout of frames and components, for snapshots
	Edges       []Edge
	Modules     []Module
	Slots       []string    // names of the component slots, which commands name by number
	Components  []Component // what of a snapshot is theirs, in the order of the slots that have state
	Commanded   []int       // for each component the slot whose commands call it, -1 if blocks do; nil: blocks call all that gather
	Stores      []Store     // what the engine keeps for the program by name
}

// Edge is a row of the program's edge table. Both ends have the same.
type Edge struct {
	ID      wire.EdgeID
	Type    wire.TypeHash
	Name    string // as people read it: client.updated_params
	From    string // class of the peers that may send on it
	To      string // class of those that it leads to, if it is said when the program runs who they are
	Trigger bool   // carries no payload
	Dims    int    // how many dimensions its type leaves open
	Within  int64  // ns that the receiver's part of an execution may take; 0: what its cause allows
	Size    int    // bytes of a payload; 0 if they depend on the open dimensions
	Most    int    // bytes of a payload at most, where its author writes it; 0: the type says it

	// Origins are the classes of peers whose executions the sender has come to take
	// part in and goes on with. Beside those it sends in its own, and in those of the
	// peer that receives.
	Origins []string

	// Collective, if not nil, says what the peers of the class compute together on the
	// edge, which leads to their own class.
	Collective *Collective

	// Receives reports whether this partition is the end that receives: then
	// fills go to a cut point of a module.
	Receives    bool
	Module, Cut int
}

// Module is a module of the program, or the part of one that runs once for each
// sender. Its code is straight lines, the blocks, between cut points: values
// that arrive while nothing of the module runs.
type Module struct {
	Name   string
	New    func() Body
	Blocks []Block
	Cuts   []Cut
	Inputs []int // the cut points that Invoke gives values to

	// Answers are the modules that fills of others open here, in the executions that
	// Invoke begins with this one: what it sends comes back in them.
	Answers []int

	// Child says that a frame belongs to a sender: it is opened for a Gather
	// cut of the module Parent, by the first fill that comes from the sender.
	Child             bool
	Parent, ParentCut int

	Start     bool        // an execution begins when the node begins to run without a past
	Every     int64       // ns from one execution to the next that a timer opens; 0: none
	On        []EventKind // events that open an execution
	Named     string      // those of this name alone; "": any
	Bootstrap bool        // runs once at the start, before anything else is let in; with Inputs, when the host invokes it

	// Short is what follows a round that has no quorum. If the loop goes on then, the
	// block that waits for the TimerCut Again does that in place of the one that starts
	// the cut point.
	//
	// A round that waits fails when it has waited for Patience ns, and the loop ends; 0: never.
	Short    ShortPolicy
	Again    int
	Patience int64

	// Of those that are joined: the number of its target, and of that one's modules.
	target, base int
}

// Block is one run of straight-line code.
type Block struct {
	Name   string
	Wait   uint64 // the cut points that it needs; none: it runs when the frame opens
	Any    bool   // one of them is enough
	Starts uint64 // the cut points that it brings about: commands, timers and gathers

	// Cut points from number 64 on have no bit above. They stand here.
	AlsoWait, AlsoStarts []int

	// Needs are blocks whose values it reads: it does not run if one of them has failed.
	Needs []int

	Ops int // what it counts for in the budget of a Poll
}

// CutKind says where the value of a cut point comes from.
type CutKind uint8

// The kinds of cut points.
const (
	InputCut      CutKind = iota // the host, with Invoke
	FillCut                      // one fill from a peer
	GatherCut                    // fills from a set of peers, a child frame each
	CommandCut                   // a role's method that the host runs
	TimerCut                     // the clock
	EventCut                     // the engine: a queue has something, peers are there
	LocalCut                     // a block of the same frame, with Bring
	CollectiveCut                // what peers compute together, with Collect
)

var cutNames = [...]string{"input", "fill", "gather", "command", "timer", "event", "local", "collective"}

func (k CutKind) String() string {
	if int(k) < len(cutNames) {
		return cutNames[k]
	}
	return fmt.Sprintf("CutKind(%d)", k)
}

// Cut is a cut point.
type Cut struct {
	Kind   CutKind
	Name   string // of the value, as in the module
	Slot   int    // CommandCut: whose method it is
	Within int64  // FillCut: ns from the opening of the frame until it counts as missing; 0: no limit
}

// Body is a frame of generated code: one execution of a module on this peer. It
// embeds [Frame], which is what the Node knows of it.
//
// The Node calls it for one thing at a time. Bytes and values that it is given
// are borrowed until it returns. What a module has no use for it need not have:
// Frame has all methods but Run.
type Body interface {
	frame() *Frame

	Run(n *Node, block int) error            // runs a block
	Fill(cut int, fill *wire.SlotFill) error // takes the value of a fill
	Input(cut int, v tensor.Value) error     // takes a value from Invoke
	Event(cut int, v *Fields) error          // takes the value of an EventCut
	Task(cut int) Task                       // the command behind a cut point, ready to run
	Round() int64                            // the number of the round, of a loop that goes on without a quorum
	Clear()                                  // forgets the execution: the frame is used again
	AppendBinary(b []byte) ([]byte, error)   // the fields that blocks have left for later ones
	UnmarshalBinary(b []byte) error          // sets them
}

// Task is a command: it runs on the host's worker while the Node goes on, and
// nothing else touches the frame fields that it uses until it is complete.
type Task interface{ Do() error }

// Component is a part of the program with state of its own.
type Component interface {
	AppendBinary(b []byte) ([]byte, error)
	UnmarshalBinary(b []byte) error
}

// maxCuts is how many cut points, and how many blocks, a module may have.
const maxCuts = 1 << 12

// module is a Module with what the Node derives from it.
type module struct {
	*Module
	index   int
	top     int // whose executions it is a part of: its own, or its parent's
	blocks  []block
	entry   []int      // the blocks that wait for nothing
	timed   bool       // some value must come in time
	waiters [][]uint16 // the blocks that wait for each cut point
	gathers int
	pool    []*Frame

	completes map[string]bool // by the class of an origin: see [Node.completes]

	spool       *values.Keeper // the node's
	next, again int            // the blocks that begin the next round, and what follows a short one; -1: none
	shorts      int            // rounds in a row that had no quorum

	took  estimate // how long quorums of its gathers take
	debts []int64  // of the peers, by their indices: see lateness.go
}

// block is a Block with its cut points.
type block struct {
	*Block
	wait     container.Bitset
	starts   []int
	neededBy []int // blocks that read its values
}

// compile derives what the Node needs. A table that makes no sense is a mistake
// of the generator.
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

// findNeeds tells blocks which others read their values.
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

// findAgain finds the blocks by which a loop goes on with and without a quorum.
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

// block derives what the Node needs of a block.
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
