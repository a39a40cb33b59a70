package runtime

import (
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/internal/ledger"
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

// spool returns the node's store of large values.
func (f *Frame) spool() *values.Keeper {
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
func (f *Frame) Event(int, *Fields) error { return nil }

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

func (e *BlockError) Error() string {
	from := ""
	if !e.Peer.IsZero() {
		from = fmt.Sprintf(" for peer %v", e.Peer)
	}
	return fmt.Sprintf("%s.%s of execution %v%s: %v", e.Module, e.Block, e.Exec, from, e.Err)
}

func (e *BlockError) Unwrap() error { return e.Err }

// CutError names a value that is never received, and the reason.
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

var errBroken = errors.New("a block failed")

// newFrame takes a frame from the pool or makes one, and counts it in the share of the peer whose fill opens
// it.
func (n *Node) newFrame(m *module, x *wire.ExecID, from *peer) *Frame {
	var f *Frame
	if k := len(m.pool); k > 0 {
		f, m.pool = m.pool[k-1], m.pool[:k-1]
		n.ledger.Add(nil, ledger.Pooled, -int64(f.mostHeld))
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
	n.ledger.Add(nil, ledger.Frames, 1)
	f.charge(from)
	n.stats.Frames++
	n.traceFrame(f)
	return f
}

// begin queues the blocks that wait for no cut point, and sets timers for fills with a deadline.
func (n *Node) begin(f *Frame) {
	for _, b := range f.module.entry {
		n.queue(f, b)
	}
	if !f.module.timed {
		return
	}
	for c := range f.module.Cuts {
		if d := f.module.Cuts[c].Within; d > 0 {
			n.setDeadline(f, c, cutDeadline, n.now+d)
		}
	}
}

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

// recycle returns a frame, and the child frames that it gathered, to their pools.
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
	n.ledger.Add(nil, ledger.Frames, -1)
	n.ledger.Add(f.from.share(), ledger.Held, -int64(f.held))
	n.ledger.Add(f.from.share(), ledger.Spooled, -f.spooled)
	f.charge(nil)
	clear(f.senders)
	f.sentTo.Clear()
	f.ready.Clear()
	f.failed.Clear()
	f.fired.Clear()
	f.done.Clear()
	f.gen, f.mostHeld = f.gen+1, max(f.mostHeld, f.held)
	f.execution = execution{}
	if most := int64(f.mostHeld); len(f.module.pool) == 0 || n.ledger.Admits(nil, ledger.Pooled, most) { // at least one of each module
		n.ledger.Add(nil, ledger.Pooled, most)
		f.module.pool = append(f.module.pool, f)
	}
}

// end ends a frame. Its timers are stale from now on.
func (n *Node) end(f *Frame) {
	if !f.ended {
		n.endActivity(f)
	}
	f.ended = true
	if f.timers > 0 {
		n.countTimers(f, -f.timers)
	}
}

// drop ends a frame that is not needed any more. Its memory is kept while a command works on it.
func (n *Node) drop(f *Frame) {
	n.end(f)
	if f.commands == 0 {
		n.recycle(f)
		return
	}
	f.abandoned = true
	n.stats.Abandoned++
}

// arrive records that a cut point has its value, and queues the blocks that waited only for it.
func (n *Node) arrive(f *Frame, cut int) {
	if f.ended || f.settled(cut) {
		return
	}
	f.ready.Add(cut)
	n.endWait(f, cut, nil)
	for _, b := range f.module.waiters[cut] {
		blk := &f.module.blocks[b]
		if blk.Any || f.ready.Covers(&blk.wait) {
			n.queue(f, int(b))
		}
	}
}

// settled reports whether a cut point has its value or never will have it.
func (f *Frame) settled(cut int) bool { return f.ready.Has(cut) || f.failed.Has(cut) }

// finish records that a block has run or never will.
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
	n.frontier.Push(frontierItem{f.ref(), block})
}

// lose records that a cut point will never have its value. Blocks that need it are poisoned, and so are the cut
// points that these blocks would start. Events report everything that depends on the value.
func (n *Node) lose(f *Frame, cut int, err error) {
	if f.ended || f.settled(cut) {
		return
	}
	if f.module.Cuts[cut].Kind == CollectiveCut {
		n.failCall(f, cut)
	}
	n.loseLocal(f, cut, err)
}

// loseLocal is lose for a cut point for which only this frame waits.
func (n *Node) loseLocal(f *Frame, cut int, err error) {
	if f.ended || f.settled(cut) {
		return
	}
	f.failed.Add(cut)
	n.endWait(f, cut, err)
	err = &CutError{f.module.Name, f.module.Cuts[cut].Name, f.module.Cuts[cut].Kind, err}
	for _, b := range f.module.waiters[cut] {
		blk := &f.module.blocks[b]
		if !blk.Any || f.failed.Covers(&blk.wait) {
			n.poison(f, int(b), err)
		}
	}
	n.settle(f)
}

// poison records that a block failed, or never runs because a block or value that it needs failed.
//
// It terminates: each call adds to done, which has a bit for each block.
func (n *Node) poison(f *Frame, block int, err error) {
	if f.done.Has(block) {
		return
	}
	f.fired.Add(block)
	f.finish(block)
	f.broken = true
	if f.why == nil {
		f.why = err
	}
	blk := &f.module.blocks[block]
	n.stats.Failures++
	n.queueEvent(Event{Kind: Failed, Module: f.module.Name, Name: blk.Name, Exec: f.exec, Peer: f.From(),
		Err: &BlockError{f.module.Name, blk.Name, f.exec, f.From(), err}})
	n.tellLost(f, block, err)
	if n.continuesLoop(f, block, err) {
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
	n.removeLive(f)
	if f.exec.Origin == n.self.id || f.broken {
		e := Event{Kind: Finished, Module: f.module.Name, Exec: f.exec, Peer: f.From()}
		if f.broken {
			e.Err = errBroken
		}
		n.queueEvent(e)
	}
	n.finished = append(n.finished, f)
}

// initiator returns the peer that began a frame's execution here, or nil for the node itself.
func (n *Node) initiator(f *Frame) *peer {
	if f.from == n.self || f.history.origin == n.self { // the node numbered them: see mayOpen
		return nil
	}
	return f.from
}

// addLive adds a frame to the live ones; removeLive removes it.
func (n *Node) addLive(f *Frame) {
	h := n.histories.of(&f.exec, f.module.index)
	if h == nil {
		h = n.histories.begin(keyOf(&f.exec, f.module.index), n.peer(f.exec.Origin))
	}
	h.add(f)
	n.link(f)
}

func (n *Node) removeLive(f *Frame) {
	n.histories.remove(f)
	n.unlink(f)
}
