package runtime

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/internal/quorum"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// A Frame is the Node's part of an execution's frame. Frames of generated code embed it.
type Frame struct {
	body     Body
	module   *module
	gen      uint32 // how many executions the frame was used for
	mostHeld int    // the largest held of these

	// Cut points that have their value, and those that never will. A cut point is in at most one of the two
	// sets.
	ready, failed container.Bitset

	// Blocks that were queued, and blocks that have run or never will. Invariant: done is a subset of fired.
	// The frame ends when all blocks are done.
	fired, done container.Bitset

	senders []*peer          // the sender of each FillCut
	sentTo  container.Bitset // the indices of the peers to which the frame has sent messages
	gathers []gather         // of the GatherCuts, in order
	folds   [][]fold         // of the commands, by cut point; nil if none
	waits   []wait           // of the cut points, for spans; nil without spans

	execution
	prev, next *Frame // the live frames, in the order in which they were opened
}

// execution holds the fields of a Frame that belong to one execution. It is zero while the frame waits to be
// reused.
type execution struct {
	exec    wire.ExecID
	from    *peer    // the peer whose fill opened the frame, or nil
	owner   *peer    // the peer in whose share of the frames it counts; nil: the node's own
	cause   *Event   // the event that opened it, or nil
	since   int64    // when it was opened
	until   int64    // the deadline that the cause sets; 0: none
	parent  *Frame   // of a child frame
	history *history // unset for child frames
	left    int      // blocks that are not done
	held    int      // bytes of payloads that it keeps in memory
	spooled int64    // and in files
	timers  int      // that are not stale

	sent      int64  // bytes of payloads, for each receiver
	why       error  // the first failure; of a child frame: why it does not count
	commands  int    // that wait or run; the frame's memory is not reused before they end
	losses    []loss // told by peers of which others may fill the same cut point
	broken    bool   // a block failed
	restored  bool   // from a snapshot, which does not record the peers in sentTo
	short     bool   // a gather ended without all of the peers that it waited for
	ended     bool
	abandoned bool // ended, but not free until its last command has left
}

func (f *Frame) frame() *Frame { return f }

// Keeper returns where blocks keep large values of the frame: in the Spool of the host, if it has one.
func (f *Frame) Keeper() *values.Keeper {
	if f.module == nil { // a frame without a node
		return &values.Keeper{}
	}
	return f.module.spool
}

// Fill is the method of modules without a FillCut that keeps its value.
func (f *Frame) Fill(int, *wire.SlotFill) error { return nil }

// Input is the method of modules without an InputCut that keeps its value.
func (f *Frame) Input(int, tensor.Value) error { return nil }

// Event is the method of modules without EventCuts.
func (f *Frame) Event(int, *values.Fields) error { return nil }

// Round is the method of modules without a loop, or with a loop that ends without a quorum.
func (f *Frame) Round() int64 { return 0 }

// Task is the method of modules without a CommandCut.
func (f *Frame) Task(cut int) Task {
	panic(fmt.Sprintf("BUG: %s has no command at cut point %d", f.module.Name, cut))
}

// Clear is the method of frames without fields.
func (f *Frame) Clear() {}

// AppendBinary is the method of frames without fields.
func (f *Frame) AppendBinary(b []byte) ([]byte, error) { return b, nil }

// UnmarshalBinary is the method of frames without fields.
func (f *Frame) UnmarshalBinary(b []byte) error { return values.NewFields(b).End() }

// Exec returns the execution to which the frame belongs.
func (f *Frame) Exec() wire.ExecID { return f.exec }

// From returns the peer whose fill opened the frame. For a child frame, that is the sender to which it belongs.
func (f *Frame) From() wire.PeerID {
	if f.from == nil {
		return wire.PeerID{}
	}
	return f.from.id
}

// Sender returns the peer that filled a cut point.
func (f *Frame) Sender(cut int) wire.PeerID {
	if p := f.senders[cut]; p != nil {
		return p.id
	}
	return wire.PeerID{}
}

// Cause returns the event that opened the frame, or a zero Event.
func (f *Frame) Cause() Event {
	if f.cause == nil {
		return Event{}
	}
	return *f.cause
}

// Ready reports whether a cut point has its value. A block that waits for any of several cut points uses it to
// find the one that came first.
func (f *Frame) Ready(cut int) bool { return f.ready.Has(cut) }

// BlockError reports which block of which execution failed, and why.
type BlockError struct {
	Module, Block string
	Exec          wire.ExecID
	Peer          wire.PeerID // the sender of the fill that it worked on; zero if there is no single one
	Err           error
}

// Error returns the module, the block, the execution, the sender if there is a single one, and the reason.
func (e *BlockError) Error() string {
	from := ""
	if !e.Peer.IsZero() {
		from = fmt.Sprintf(" for peer %v", e.Peer)
	}
	return fmt.Sprintf("%s.%s of execution %v%s: %v", e.Module, e.Block, e.Exec, from, e.Err)
}

// Unwrap returns the reason, such as the panic of a kernel or the error of a component.
func (e *BlockError) Unwrap() error { return e.Err }

// CutError names a value that is never received, and the reason.
type CutError struct {
	Module, Cut string
	Kind        CutKind
	Err         error
}

// Error returns the kind and the name of the cut point, its module, and the reason.
func (e *CutError) Error() string {
	return fmt.Sprintf("%v %s of %s: %v", e.Kind, e.Cut, e.Module, e.Err)
}

// Unwrap returns the reason, for [errors.Is] and [errors.As].
func (e *CutError) Unwrap() error { return e.Err }

// frontierItem is a block that may run.
type frontierItem struct {
	frameRef
	block int
}

// frameRef refers to an execution. When it has ended, its frame may belong to another one.
type frameRef struct {
	frame *Frame
	gen   uint32 // of the frame: a later generation is another execution
}

func (f *Frame) ref() frameRef { return frameRef{f, f.gen} }

func (r frameRef) ended() bool { return r.frame.gen != r.gen || r.frame.ended }

// recordSend records that the frame, or one of its child frames, sends a message to a peer. It reports whether it is
// the first one.
func (f *Frame) recordSend(p *peer) bool {
	if f.parent != nil {
		f = f.parent
	}
	f.sentTo.Widen(p.index + 1)
	first := !f.sentTo.Has(p.index) && !f.restored
	f.sentTo.Add(p.index)
	return first
}

// settled reports whether a cut point has its value or never will have it.
func (f *Frame) settled(cut int) bool { return f.ready.Has(cut) || f.failed.Has(cut) }

// finish records that a block has run or never will.
func (f *Frame) finish(block int) {
	f.done.Add(block)
	f.left--
}

func (f *Frame) gather(cut int) *gather {
	for i := range f.gathers {
		if f.gathers[i].cut == cut {
			return &f.gathers[i]
		}
	}
	panic(fmt.Sprintf("BUG: cut point %s of %s is no gather", f.module.Cuts[cut].Name, f.module.Name))
}

// hasSentTo reports whether the frame has sent a message to a peer.
func (f *Frame) hasSentTo(p *peer) bool { return p.index < f.sentTo.Width() && f.sentTo.Has(p.index) }

// waitsFor reports whether a cut point may get its value, some block needs that value, and no other block has
// to run before.
func (f *Frame) waitsFor(cut int) bool {
	if f.settled(cut) {
		return false
	}
	needed := false
	for _, b := range f.module.waiters[cut] {
		needed = needed || !f.fired.Has(int(b))
	}
	if !needed {
		return false
	}
	for i := range f.module.blocks {
		for _, c := range f.module.blocks[i].starts {
			if c == cut && !f.done.Has(i) {
				return false
			}
		}
	}
	return true
}

// gather collects the fills of a set of peers for one GatherCut: each in a child frame of its own, which counts
// when its last block has run. The peers are known to it by their indices.
type gather struct {
	quorum.Gather
	cut      int
	children []*Frame // in the order of their peers: see [PeerConfig.compare]
	wakeAt   int64    // when the gather is examined again after its quorum; 0: not planned
}

func (g *gather) reset() {
	g.Reset()
	clear(g.children)
	g.children, g.wakeAt = g.children[:0], 0
}

// of returns the contribution of a peer, or nil.
func (g *gather) of(p *peer) *Frame {
	at, found := slices.BinarySearchFunc(g.children, p, func(c *Frame, p *peer) int { return c.from.compare(p) })
	if !found {
		return nil
	}
	return g.children[at]
}

// waitsFor reports whether a gather of a frame waits for a peer.
func (g *gather) waitsFor(f *Frame, p *peer) bool {
	return g.Armed && !f.settled(g.cut) && g.Asks(p.index) && g.Awaits(p.index)
}
