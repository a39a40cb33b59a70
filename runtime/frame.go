package runtime

import (
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Frame is what a [Node] knows of a frame of generated code, which embeds it.
type Frame struct {
	body   Body
	module *module
	gen    uint32 // how many executions it was used for
	most   int    // the largest held of those

	// Cut points that have their value, and those that never will. A cut point
	// is in at most one of the two.
	ready, failed container.Bitset

	// Blocks that were queued, and those that have run or never will.
	// Invariant: done is a subset of fired. The frame ends when all are done.
	fired, done container.Bitset

	senders []*peer          // who filled each FillCut
	told    container.Bitset // the indices of the peers to which it has sent something
	gathers []gather         // of the GatherCuts, in their order
	folds   [][]fold         // of the commands, by their cut points; nil: none was there

	execution
	prev, next *Frame // the live frames, in the order in which they were opened
}

// execution is what of a frame is of one execution alone, and is zero when the
// frame waits to be used again.
type execution struct {
	exec    wire.ExecID
	from    *peer    // whose fill opened it; nil if none did
	owner   *peer    // in whose share of the frames it is; nil: the node's own
	cause   *Event   // that opened it, if one did
	since   int64    // when it was opened
	until   int64    // what caused it allows it so long; 0: for ever
	parent  *Frame   // of a child frame
	history *history // of another one
	left    int      // blocks that are not done
	held    int      // bytes of payloads that it took, in memory
	spooled int64    // and in files
	timers  int      // that are not stale

	why       error // of a child frame: why it does not count
	commands  int   // that wait or run; the frame's memory is not used again before they end
	broken    bool  // a block failed
	restored  bool  // from a snapshot, which does not say whom it has told
	short     bool  // a gather ended without all who were asked
	ended     bool
	abandoned bool // ended, and free when the last command has left it
}

func (f *Frame) frame() *Frame { return f }

// spool is where the node keeps large values.
func (f *Frame) spool() *values.Keeper {
	if f.module == nil { // a frame of no node
		return &values.Keeper{}
	}
	return f.module.spool
}

// Fill is for modules without a FillCut whose value is kept.
func (f *Frame) Fill(int, *wire.SlotFill) error { return nil }

// Input is for modules without an InputCut whose value is kept.
func (f *Frame) Input(int, tensor.Value) error { return nil }

// Event is of a module without EventCuts.
func (f *Frame) Event(int, *Fields) error { return nil }

// Round is of a module that is no loop, or ends without a quorum.
func (f *Frame) Round() int64 { return 0 }

// Task is for modules without a CommandCut.
func (f *Frame) Task(cut int) Task {
	panic(fmt.Sprintf("BUG: %s has no command at cut point %d", f.module.Name, cut))
}

// Clear is for frames that keep nothing.
func (f *Frame) Clear() {}

// AppendBinary is for frames that keep nothing.
func (f *Frame) AppendBinary(b []byte) ([]byte, error) { return b, nil }

// UnmarshalBinary is for frames that keep nothing.
func (f *Frame) UnmarshalBinary(b []byte) error { return values.NewFields(b).End() }

// Exec returns the execution that the frame belongs to.
func (f *Frame) Exec() wire.ExecID { return f.exec }

// From returns the peer whose fill opened the frame: for a child frame, the
// sender that it is for.
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

// Cause returns the event that opened the frame, or a zero one.
func (f *Frame) Cause() Event {
	if f.cause == nil {
		return Event{}
	}
	return *f.cause
}

// Ready reports whether a cut point has its value: which of several came first
// is what a block that waits for any of them asks.
func (f *Frame) Ready(cut int) bool { return f.ready.Has(cut) }

// BlockError says which block of which execution failed, and why.
type BlockError struct {
	Module, Block string
	Exec          wire.ExecID
	Peer          wire.PeerID // whose fill it worked on; zero if no single peer's
	Err           error
}

func (e *BlockError) Error() string {
	from := ""
	if !e.Peer.IsZero() {
		from = fmt.Sprintf(" for peer %v", e.Peer)
	}
	return fmt.Sprintf("%s.%s of execution %v%s: %v", e.Module, e.Block, e.Exec, from, e.Err)
}

func (e *BlockError) Unwrap() error { return e.Err }

// CutError says which value will never come, and why.
type CutError struct {
	Module, Cut string
	Kind        CutKind
	Err         error
}

func (e *CutError) Error() string {
	return fmt.Sprintf("%v %s of %s: %v", e.Kind, e.Cut, e.Module, e.Err)
}

func (e *CutError) Unwrap() error { return e.Err }

// frontierItem is a block that may run.
type frontierItem struct {
	frame *Frame
	gen   uint32 // of the frame when it was queued: a later one is another execution
	block int
}

var errBroken = errors.New("a block failed")

// newFrame takes a frame from the pool or makes one, in the share of the peer whose fill
// opens it.
func (n *Node) newFrame(m *module, x *wire.ExecID, from *peer) *Frame {
	var f *Frame
	if k := len(m.pool); k > 0 {
		f, m.pool = m.pool[k-1], m.pool[:k-1]
		n.pooled -= f.most
	} else {
		body := m.New()
		f = body.frame()
		f.body, f.module = body, m
		f.senders = make([]*peer, len(m.Cuts))
		f.ready, f.failed = container.NewBitset(len(m.Cuts)), container.NewBitset(len(m.Cuts))
		f.fired, f.done = container.NewBitset(len(m.Blocks)), container.NewBitset(len(m.Blocks))
		for c := range m.Cuts {
			if m.Cuts[c].Kind == GatherCut {
				f.gathers = append(f.gathers, gather{cut: c})
			}
		}
	}
	f.exec, f.from, f.since, f.left = *x, from, n.now, len(m.blocks)
	n.frames++
	f.charge(from)
	n.stats.Frames++
	return f
}

// begin queues the blocks that wait for nothing, and watches for fills that
// must come in time.
func (n *Node) begin(f *Frame) {
	for _, b := range f.module.entry {
		n.queue(f, b)
	}
	if !f.module.timed {
		return
	}
	for c := range f.module.Cuts {
		if d := f.module.Cuts[c].Within; d > 0 {
			n.deadlines.add(n, timer{at: n.now + d, kind: cutDeadline, frame: f, gen: f.gen, cut: c})
		}
	}
}

// tell notes that the frame, or a child frame of it, sends something to a peer, and
// reports whether that is the first.
func (f *Frame) tell(p *peer) bool {
	if f.parent != nil {
		f = f.parent
	}
	f.told.Widen(p.index + 1)
	first := !f.told.Has(p.index) && !f.restored
	f.told.Add(p.index)
	return first
}

// recycle gives a frame, and the child frames that it gathered, back to their
// pools.
func (n *Node) recycle(f *Frame) {
	f.body.Clear()
	for i := range f.gathers {
		g := &f.gathers[i]
		for _, c := range g.children {
			n.drop(c)
		}
		g.reset()
	}
	for c := range f.folds {
		f.forgetFolds(c)
	}
	n.frames--
	n.held -= f.held
	n.reserve(f.from, -f.spooled)
	if f.from != nil {
		f.from.held -= f.held
	}
	f.charge(nil)
	clear(f.senders)
	f.told.Clear()
	f.ready.Clear()
	f.failed.Clear()
	f.fired.Clear()
	f.done.Clear()
	f.gen, f.most = f.gen+1, max(f.most, f.held)
	f.execution = execution{}
	if n.pooled+f.most <= maxPooledFrames || len(f.module.pool) == 0 {
		n.pooled += f.most
		f.module.pool = append(f.module.pool, f)
	}
}

// maxPooledFrames is how many bytes of payloads the frames may hold that wait to be
// used again, beside one of each module.
const maxPooledFrames = 256 << 20

// end says that a frame has ended. Its timers are stale now.
func (n *Node) end(f *Frame) {
	f.ended = true
	n.countTimers(f, -f.timers)
}

// drop ends a frame that nobody needs any more. Its memory stays while a command
// works on it.
func (n *Node) drop(f *Frame) {
	n.end(f)
	if f.commands == 0 {
		n.recycle(f)
		return
	}
	f.abandoned = true
	n.stats.Abandoned++
}

// arrive says that a cut point has its value and queues the blocks that waited
// for nothing else.
func (n *Node) arrive(f *Frame, cut int) {
	if f.ended || f.settled(cut) {
		return
	}
	f.ready.Add(cut)
	for _, b := range f.module.waiters[cut] {
		blk := &f.module.blocks[b]
		if blk.Any || f.ready.Covers(&blk.wait) {
			n.queue(f, int(b))
		}
	}
}

// settled reports whether a cut point has its value or never will.
func (f *Frame) settled(cut int) bool { return f.ready.Has(cut) || f.failed.Has(cut) }

// finish says that a block has run or never will.
func (f *Frame) finish(block int) {
	f.done.Add(block)
	f.left--
}

// Bring gives a LocalCut its value.
func (n *Node) Bring(f *Frame, cut int) { n.arrive(f, cut) }

// queue puts a block on the frontier, once.
func (n *Node) queue(f *Frame, block int) {
	if f.fired.Has(block) {
		return
	}
	f.fired.Add(block)
	n.frontier.Push(frontierItem{f, f.gen, block})
}

// lose says that a cut point will never have its value. Blocks that cannot do
// without are poisoned, and so is what they would have started: all that
// depends on the value is told about in events.
func (n *Node) lose(f *Frame, cut int, err error) {
	if f.ended || f.settled(cut) {
		return
	}
	if f.module.Cuts[cut].Kind == CollectiveCut {
		n.abstain(f, cut)
	}
	n.forgo(f, cut, err)
}

// forgo is lose of what nobody else waits for.
func (n *Node) forgo(f *Frame, cut int, err error) {
	if f.ended || f.settled(cut) {
		return
	}
	f.failed.Add(cut)
	err = &CutError{f.module.Name, f.module.Cuts[cut].Name, f.module.Cuts[cut].Kind, err}
	for _, b := range f.module.waiters[cut] {
		blk := &f.module.blocks[b]
		if !blk.Any || f.failed.Covers(&blk.wait) {
			n.poison(f, int(b), err)
		}
	}
	n.settle(f)
}

// poison says that a block failed, or never runs because something before it
// did.
//
// It ends: each call adds to done, which has a bit for each block.
func (n *Node) poison(f *Frame, block int, err error) {
	if f.done.Has(block) {
		return
	}
	f.fired.Add(block)
	f.finish(block)
	f.broken = true
	if f.parent != nil && f.why == nil {
		f.why = err
	}
	blk := &f.module.blocks[block]
	n.stats.Failures++
	n.tell(Event{Kind: Failed, Module: f.module.Name, Name: blk.Name, Exec: f.exec, Peer: f.From(),
		Err: &BlockError{f.module.Name, blk.Name, f.exec, f.From(), err}})
	if n.carriesOn(f, block, err) {
		return
	}
	for _, c := range blk.starts {
		n.lose(f, c, err)
	}
	for _, b := range blk.neededBy {
		n.poison(f, b, err)
	}
}

// settle ends the frame if it has nothing left to do.
func (n *Node) settle(f *Frame) {
	if f.left > 0 || f.ended {
		return
	}
	n.end(f)
	if f.parent != nil {
		n.contributed(f)
		return
	}
	n.leaveRound(f)
	n.withdrawAll(f)
	n.histories.finish(f.history, n.initiator(f), f.exec.Number, n.limits.Origins)
	n.unknow(f)
	if f.exec.Origin == n.self.id || f.broken {
		e := Event{Kind: Finished, Module: f.module.Name, Exec: f.exec, Peer: f.From()}
		if f.broken {
			e.Err = errBroken
		}
		n.tell(e)
	}
	n.finished = append(n.finished, f)
}
