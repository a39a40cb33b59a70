package runtime

import (
	"fmt"
	"math"
	goruntime "runtime"

	"github.com/bbgen/bbgen/runtime/wire"
)

// OutputKind says what a host is asked to do.
type OutputKind uint8

// What a host is asked to do.
const (
	Send       OutputKind = iota // send Envelope to Peer; both are borrowed until the next call of the Node
	Dial                         // open a channel to Peer, then call Connected or DialFailed
	Run                          // run Task on a worker, then call Complete with Command
	Tell                         // hear of Event
	Checkpoint                   // take a Snapshot, keep it, then call Persisted
	Hangup                       // close the channel to Peer, which broke the rules, then call Disconnected
	Yield                        // look to others: the budget is used up, and there is more to do
)

var outputNames = [...]string{"send", "dial", "run", "tell", "checkpoint", "hangup", "yield"}

func (k OutputKind) String() string {
	if int(k) < len(outputNames) {
		return outputNames[k]
	}
	return fmt.Sprintf("OutputKind(%d)", k)
}

// Output is one thing that a host is asked to do.
type Output struct {
	Kind     OutputKind
	Peer     wire.PeerID
	Envelope *wire.Envelope
	Command  CommandID
	Task     Task
	Event    Event
}

// output is an Output as it waits to be taken.
type output struct {
	kind     OutputKind
	peer     *peer
	envelope *envelope // of Send; nil: an acknowledgement alone
	command  CommandID
}

// Poll returns the next thing to do, or false when there is none before WakeAt
// or the next call that tells the Node something.
//
// When all of the last cycle's outputs are taken it runs the next one. The
// order of its phases is fixed:
//
//  1. frames that have ended are recycled
//  2. delivered envelopes are read
//  3. blocks run
//  4. events open executions
//  5. timers of frames and modules
//  6. deadlines, and commands that have completed
//  7. the health of peers
//  8. blocks run
//  9. the node's own life: bootstrap, running, stopping
//  10. envelopes, commands and events go out
//
// Blocks and fills count against [Limits.Ops]. When the budget is used up and
// there is more to do, Poll returns Yield once before it goes on.
func (n *Node) Poll(now int64) (Output, bool) {
	n.advance(now)
	for {
		if n.out.n > 0 {
			return n.take(n.out.pop()), true
		}
		if n.events.n > 0 {
			return Output{Kind: Tell, Event: n.events.pop()}, true
		}
		switch {
		case !n.busy():
			n.reap()
			n.ops = 0
			return Output{}, false
		case n.ops >= n.limits.Ops:
			n.ops = 0
			n.stats.Yields++
			return Output{Kind: Yield}, true
		}
		n.cycle()
	}
}

// busy reports whether a cycle would find something to do.
func (n *Node) busy() bool {
	at, ok := n.WakeAt()
	return ok && at <= n.now
}

// WakeAt returns when the Node has something to do if nothing else happens, and
// whether it ever has.
func (n *Node) WakeAt() (int64, bool) {
	if n.phase == phaseStarting || n.out.n+n.events.n > 0 || n.ready() {
		return n.now, true
	}
	at := int64(math.MaxInt64)
	if t, ok := n.timers.next(); ok {
		at = t
	}
	if t, ok := n.deadlines.next(); ok {
		at = min(at, t)
	}
	if n.config.Heartbeat && len(n.peers) > 1 {
		at = min(at, n.nextScan)
	}
	return at, at < math.MaxInt64
}

func (n *Node) ready() bool {
	return n.frontier.n+n.completed.n+n.sending.n+len(n.bus) > 0 || n.reweigh ||
		n.ingress.queue.n > 0 && !n.checkpoint || n.checkpoint && !n.asked && n.quiet()
}

func (n *Node) cycle() {
	n.reap()
	if !n.checkpoint { // what is let in would put the snapshot off
		n.drain()
	}
	n.run()
	n.route()
	n.mature()
	n.expireAll()
	n.complete()
	n.scan()
	n.run()
	n.age()
	n.emit()
}

// reap recycles the frames that have ended.
func (n *Node) reap() {
	for i, f := range n.finished {
		n.drop(f)
		n.finished[i] = nil
	}
	n.finished = n.finished[:0]
}

// run runs blocks until none may or the budget is used up.
func (n *Node) run() {
	for n.frontier.n > 0 && n.ops < n.limits.Ops {
		x := n.frontier.pop()
		f, bit := x.frame, uint64(1)<<x.block
		if f.gen != x.gen || f.ended || f.done&bit != 0 {
			continue
		}
		blk := &f.module.Blocks[x.block]
		n.ops += max(blk.Ops, 1)
		n.stats.Blocks++
		if n.config.Trace != nil {
			n.config.Trace(Step{n.now, f.module.Name, blk.Name, f.exec, f.From()})
		}
		if err := n.call(f, x.block); err != nil {
			n.unstage()
			n.poison(f, x.block, err)
		} else {
			f.done |= bit
			n.flush(f.exec)
		}
		n.settle(f)
	}
}

// call runs a block. Kernels panic with an error when data do not fit; a
// mistake of the program itself goes on.
func (n *Node) call(f *Frame, block int) (err error) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(error)
			if _, isBug := r.(goruntime.Error); isBug || !ok {
				panic(r)
			}
			err = e
		}
	}()
	return f.body.Run(n, block)
}

// After gives a TimerCut its value in d ns.
func (n *Node) After(f *Frame, cut int, d int64) {
	n.timers.add(n, timer{at: n.now + d, kind: wakeFrame, frame: f, gen: f.gen, cut: cut})
}

// mature lets timers have their effect.
func (n *Node) mature() {
	for {
		t, ok := n.timers.due(n.now)
		if !ok {
			return
		}
		switch {
		case t.stale():
		case t.kind == wakeFrame:
			n.arrive(t.frame, t.cut)
		case t.kind == openModule && n.phase == phaseRunning:
			m := &n.modules[t.cut]
			if f := n.open(m, n.mint(), nil); f != nil {
				n.begin(f)
			}
			n.timers.add(n, timer{at: n.now + m.Every, kind: openModule, cut: t.cut})
		}
	}
}

// expireAll ends waits whose time is over.
func (n *Node) expireAll() {
	for {
		t, ok := n.deadlines.due(n.now)
		if !ok {
			return
		}
		switch {
		case t.stale():
		case t.kind == cutDeadline:
			n.expire(t.frame, t.cut)
		case t.kind == retryPeer:
			t.peer.waiting = false
			n.schedule(t.peer)
		case t.kind == resendPeer:
			n.resend(t.peer)
		}
	}
}

// emit queues what goes out.
func (n *Node) emit() {
	for n.sending.n > 0 {
		p := n.sending.pop()
		p.outbox.inQueue = false
		n.emitTo(p)
	}
	if n.checkpoint && !n.asked && n.quiet() {
		n.asked = true
		n.out.push(output{kind: Checkpoint})
	}
}

func (n *Node) emitTo(p *peer) {
	o := &p.outbox
	if !p.connected || p.blocked {
		if o.queue.n > 0 && !p.blocked && !p.dialling && !p.waiting {
			p.dialling = true
			n.out.push(output{kind: Dial, peer: p})
		}
		return
	}
	if !n.config.Durable {
		p.inbox.safe = p.inbox.next
	} else if p.inbox.safe < p.inbox.next && p != n.self && !n.taken {
		n.checkpoint = true
	}
	spoke := false
	for o.sent < o.queue.n {
		e := *o.queue.at(o.sent)
		if n.config.Durable && e.epoch >= n.safe && p != n.self {
			n.checkpoint = n.checkpoint || !n.taken // Persisted goes on here
			break
		}
		o.sent++
		e.sentAt = n.now
		n.stats.Sent++
		if p == n.self {
			n.loop(e)
			continue
		}
		spoke = true
		n.out.push(output{kind: Send, peer: p, envelope: e})
	}
	if p != n.self && !spoke && (p.inbox.safe > p.inbox.told || p.inbox.due) {
		n.out.push(output{kind: Send, peer: p})
	}
	p.inbox.due = false
	n.watch(p)
}

// loop takes an envelope to the Node itself through ingress, as any other.
func (n *Node) loop(e *envelope) {
	n.fillEnvelope(n.self, e)
	in := &n.ingress
	pos := len(in.buf)
	in.buf = wire.AppendEnvelope(in.buf, &n.sent)
	in.queue.push(arrival{n.self.id, n.now, pos, len(in.buf) - pos})
}

// take makes an Output of what waits.
func (n *Node) take(o output) Output {
	switch o.kind {
	case Send:
		n.fillEnvelope(o.peer, o.envelope)
		return Output{Kind: Send, Peer: o.peer.id, Envelope: &n.sent}
	case Dial, Hangup:
		return Output{Kind: o.kind, Peer: o.peer.id}
	case Run:
		r := &n.commands.table[o.command>>32]
		return Output{Kind: Run, Command: o.command, Task: r.frame.body.Task(r.cut)}
	}
	return Output{Kind: o.kind}
}

// fillEnvelope makes n.sent the message to a peer.
func (n *Node) fillEnvelope(p *peer, e *envelope) {
	s := &n.sent
	s.Reset()
	p.inbox.told = p.inbox.safe
	s.Ack = p.inbox.told
	if e == nil {
		return
	}
	s.Exec, s.Seq = e.exec, e.seq
	for i := range e.fills {
		x := &e.fills[i]
		edge := &n.partition.Edges[x.edge]
		f := wire.SlotFill{Suffix: n.suffixes[x.edge], Trigger: edge.Trigger, Type: edge.Type, Dims: x.dims()}
		if x.payload != nil {
			f.Payload = x.payload.data
		}
		s.Fills = append(s.Fills, f)
	}
}

// watch has what is not acknowledged sent again on a channel that loses
// envelopes.
func (n *Node) watch(p *peer) {
	o := &p.outbox
	if n.config.Resend == 0 || o.sent == 0 || o.timer || p == n.self {
		return
	}
	o.timer = true
	if o.rto == 0 {
		o.rto = max(p.rtt.bound(n.config.Resend), minResend)
	}
	n.deadlines.add(n, timer{at: n.now + o.rto, kind: resendPeer, peer: p})
}

const minResend = 10e6 // ns

// resend sends again what has waited for its acknowledgement too long.
func (n *Node) resend(p *peer) {
	o := &p.outbox
	o.timer = false
	if !p.connected || o.sent == 0 {
		return
	}
	if wait := o.rto - (n.now - (*o.queue.at(0)).sentAt); o.rto > 0 && wait > 0 { // it has moved on since
		o.timer = true
		n.deadlines.add(n, timer{at: n.now + wait, kind: resendPeer, peer: p})
		return
	}
	for i := range o.sent {
		(*o.queue.at(i)).again = true
	}
	n.stats.Resent += uint64(o.sent)
	o.sent = 0
	o.rto = min(2*max(o.rto, minResend), int64(maxDelay))
	n.schedule(p)
}

// unstage forgets what a block that failed has sent.
func (n *Node) unstage() {
	for i := range n.staged {
		if p := n.staged[i].fill.payload; p != nil {
			if p.refs--; p.refs == 0 {
				n.payloads = append(n.payloads, p)
			}
		}
	}
	n.staged = n.staged[:0]
}
