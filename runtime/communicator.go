package runtime

import (
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/internal/ledger"
	"github.com/bbgen/bbgen/runtime/internal/outbox"
	"github.com/bbgen/bbgen/runtime/internal/quorum"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Collective describes the collective operation of an edge that leads to the peers' own class. Chunks are sent
// on the edge; their dimensions give their place in the operation: [collective.Words] of them.
type Collective struct {
	collective.Spec
	IfLost collective.IfLost // the same for all collective edges of a class
	State  []int             // the components whose state a joining peer receives, of [collective.Enter]
}

// communicator is the group of peers of one class in collective operations. Ranks are assigned in the order of
// the roster when the first call is made.
type communicator struct {
	class   string
	edges   []int             // of its streams
	group   *collective.Group // nil before the first call
	peers   []*peer           // by rank
	waiting []container.Fifo[callWaiter]
	early   []earlyFill // fills before the first call
	bytes   int         // bytes of early
	driven  bool        // drive is running
	epoch   collective.Epoch
}

// callWaiter is a cut point that waits for the result of a call.
type callWaiter struct {
	waiter
	shape  []int // of the contribution
	number uint64
	since  int64
	own    []byte // of collective.Enter: the result of a peer that does not join
}

// earlyFill is a fill that arrived before the group was formed.
type earlyFill struct {
	from    *peer
	message collective.Message
}

// communicators makes the communicators of a partition: one for each of its classes that has collectives.
func communicators(p *Partition) (list []*communicator) {
	for i := range p.Edges {
		e := &p.Edges[i]
		if e.Collective == nil || !e.Receives {
			continue
		}
		at := slices.IndexFunc(list, func(c *communicator) bool { return c.class == e.From })
		if at < 0 {
			at = len(list)
			list = append(list, &communicator{class: e.From})
		}
		list[at].edges = append(list[at].edges, i)
		list[at].waiting = append(list[at].waiting, container.Fifo[callWaiter]{})
	}
	return list
}

// communicatorOf returns the communicator of an edge, and the edge's stream in it.
func (n *Node) communicatorOf(e *Edge) (*communicator, int) {
	for _, c := range n.communicators {
		for s, i := range c.edges {
			if &n.partition.Edges[i] == e {
				return c, s
			}
		}
	}
	panic(fmt.Sprintf("BUG: edge %s is no collective of this class", e.Name))
}

// formGroup makes the group of the peers that are admitted now.
func (n *Node) formGroup(c *communicator) error {
	if c.group != nil {
		return nil
	}
	var peers []*peer
	h := fnv.New32a()
	for _, id := range n.Peers(nil, c.class) {
		peers = append(peers, n.peer(id))
		fmt.Fprint(h, id)
	}
	config := n.groupConfig(c, len(peers))
	config.Self, config.View = slices.Index(peers, n.self), h.Sum32()
	group, err := collective.New(config)
	if err != nil {
		return err
	}
	c.group, c.peers = group, peers
	n.noticeLost(c)
	early := c.early
	c.early, c.bytes = nil, 0
	for i := range early {
		if err := n.receiveCall(c, early[i].from, &early[i].message); err != nil {
			n.refuse(early[i].from, wire.ExecID{}, n.partition.Edges[c.edges[early[i].message.Stream]].ID, err)
		}
	}
	return nil
}

// groupConfig returns the configuration that all restarts of a group have in common.
func (n *Node) groupConfig(c *communicator, ranks int) collective.Config {
	config := collective.Config{
		Ranks:  ranks,
		IfLost: n.partition.Edges[c.edges[0]].Collective.IfLost,
		Chunk:  min(collective.DefaultChunk, n.limits.Wire.Chunk, n.limits.Wire.Envelope/2),
		Calls:  n.limits.Queue,
		Life:   n.config.Incarnation,
	}
	for _, e := range c.edges {
		config.Streams = append(config.Streams, n.partition.Edges[e].Collective.Spec)
	}
	return config
}

// Collect calls the collective of an edge with a value of the frame. The result goes to a cut point. Calls of
// an edge are matched by their number on each peer, whatever their executions. A [tensor.Large] value in memory
// with a reference count is not copied, and must not be changed any more.
func (n *Node) Collect(f *Frame, cut, edge int, m *tensor.Memory, data []byte, shape ...int) {
	c, stream := n.communicatorOf(&n.partition.Edges[edge])
	err := n.formGroup(c)
	if err == nil {
		v := collective.Value{Rows: 1, Row: 1, Data: data}
		if tensor.AreLarge(len(data)) {
			v.Memory = m
		}
		for i, d := range shape {
			if i == 0 {
				v.Rows = d
			} else {
				v.Row *= d
			}
		}
		w := callWaiter{waiter: waiter{f.ref(), cut}, shape: slices.Clone(shape), number: c.group.Calls(stream), since: n.now}
		if x := n.partition.Edges[edge].Collective; x.Kind == collective.Enter {
			w.own = slices.Clone(data)
			v, err = n.enterState(c, x, data)
		}
		if err == nil {
			err = c.group.Begin(stream, v)
		}
		if err == nil {
			n.awaitCall(c, stream, w)
		}
	}
	if err != nil {
		n.loseLocal(f, cut, err)
		return
	}
	n.driveCalls(c)
}

// awaitCall records the cut point that waits for a result, and sets a timer to report missing peers.
func (n *Node) awaitCall(c *communicator, stream int, w callWaiter) {
	c.waiting[stream].Push(w)
	n.seekMembers(c)
	n.setDeadline(w.frame, w.cut, cutOverdue, n.now+quorum.FirstWait)
}

// failCall makes a call fail on all peers that a frame will not make. Otherwise the other peers would wait for
// it.
func (n *Node) failCall(f *Frame, cut int) {
	c, stream := n.communicatorOf(f.module.collective(n.partition, cut))
	if w, _ := c.waits(f, cut); w != nil || n.formGroup(c) != nil {
		return
	}
	if err := c.group.Abort(stream); err != nil {
		n.overflow("calls of " + n.partition.Edges[c.edges[stream]].Name)
		return
	}
	c.waiting[stream].Push(callWaiter{})
	n.driveCalls(c)
}

// collective returns the edge of a cut point.
func (m *module) collective(p *Partition, cut int) *Edge {
	i := slices.IndexFunc(p.Edges, func(e Edge) bool { return e.Collective != nil && e.Receives && e.Module == m.index && e.Cut == cut })
	return &p.Edges[i]
}

// waits returns the call that a cut point waits for, and its stream.
func (c *communicator) waits(f *Frame, cut int) (*callWaiter, int) {
	for s := range c.waiting {
		for i := range c.waiting[s].Len() {
			if w := c.waiting[s].At(i); w.frameRef == f.ref() && w.cut == cut {
				return w, s
			}
		}
	}
	return nil, 0
}

// Limits of the unacknowledged chunks for a peer of a communicator. A link of 1 Gbit/s and 100 ms holds 12 MiB,
// and acknowledgements come later than after one round trip if the peers are busy.
const (
	callBytes     = 32 << 20
	callEnvelopes = 256
)

// driveCalls passes results to the cut points that wait for them, and sends the chunks that may be sent.
func (n *Node) driveCalls(c *communicator) {
	if c.driven || c.group == nil {
		return
	}
	c.driven = true
	defer func() { c.driven = false }()
	for more := true; more; {
		more = false
		for r, ok := c.group.Done(); ok; r, ok = c.group.Done() {
			n.passResult(c, &r)
			more = true
		}
		for rank, p := range c.peers {
			for p != n.self && n.hasRoomForCalls(p) && (p.connected || c.isMember(rank)) && c.group.Waits(rank) {
				m, _ := c.group.Pull(rank)
				n.sendCall(c, p, &m)
				more = true
			}
		}
	}
	if e := c.group.Epoch(); e != c.epoch { // a peer that has joined may be lost by now
		c.epoch, n.reexamine = e, true
	}
	for _, err := range c.group.Refused() {
		if r, ok := err.(*collective.RankError); ok {
			n.refuse(c.peers[r.Rank], wire.ExecID{}, n.partition.Edges[c.edges[0]].ID, err)
		}
	}
}

// driveAllCalls sends chunks that waited until the peer acknowledged others.
func (n *Node) driveAllCalls(p *peer) {
	for _, c := range n.communicators {
		if slices.Contains(c.peers, p) {
			n.driveCalls(c)
		}
	}
}

// hasRoomForCalls reports whether more chunks may be sent to a peer.
func (n *Node) hasRoomForCalls(p *peer) bool {
	return !p.blocked && p.uses.Used(ledger.Payloads) < callBytes && p.uses.Used(ledger.Envelopes) < callEnvelopes &&
		n.ledger.Admits(&p.uses, ledger.Payloads, collective.DefaultChunk) && n.ledger.Admits(&p.uses, ledger.Envelopes, 1)
}

// sendCall sends a chunk in an envelope of its own.
func (n *Node) sendCall(c *communicator, p *peer, m *collective.Message) {
	words := m.Words()
	v := n.sharedData(m)
	x := n.outbox.Chunk(&v)
	e := n.newEnvelope()
	e.Exec = wire.ExecID{Origin: n.self.id, Incarnation: n.config.Incarnation}
	e.Add(c.edges[m.Stream], x, words[:])
	n.outbox.Release(x)
	n.enqueue(p, e)
}

// sharedData returns the data of a message. Large ones are not copied, unless their memory would
// exceed the limit for payloads.
func (n *Node) sharedData(m *collective.Message) outbox.Value {
	if m.Memory == nil || !tensor.AreLarge(len(m.Data)) || !n.outbox.Pin(m.Memory) {
		return outbox.Value{Data: m.Data}
	}
	return outbox.Value{Data: m.Data, Memory: m.Memory, Final: true, Pinned: true}
}

// passResult passes a result to the cut point that waits for it.
func (n *Node) passResult(c *communicator, r *collective.Result) {
	w := c.waiting[r.Stream].Pop()
	defer r.Memory.Release()
	if w.frame == nil || w.ended() {
		return
	}
	if r.Err != nil {
		n.loseLocal(w.frame, w.cut, n.callError(c, r.Err))
		return
	}
	if w.own != nil {
		data, err := n.enterStep(c, r, w.own)
		if err != nil {
			n.loseLocal(w.frame, w.cut, err)
			return
		}
		r.Value = collective.Value{Data: data}
	}
	fill := wire.SlotFill{Payload: r.Data}
	for i, d := range w.shape {
		if i == 0 {
			d = r.Rows
		}
		fill.Dims = append(fill.Dims, uint64(d))
	}
	if tensor.AreLarge(len(r.Data)) {
		fill.Blob = wire.HeldIn(r.Memory, r.Data)
	}
	n.telemetry.Gather.Add(n.now - w.since)
	n.traceBytes(w.frame, w.cut, len(r.Data))
	if err := w.frame.body.Fill(w.cut, &fill); err != nil {
		n.loseLocal(w.frame, w.cut, err)
		return
	}
	n.arrive(w.frame, w.cut)
}

// callError replaces the rank in an error by the name of the peer.
func (n *Node) callError(c *communicator, err error) error {
	if r, ok := err.(*collective.RankError); ok && r.Rank >= 0 && r.Rank < len(c.peers) {
		return fmt.Errorf("peer %v of class %s, %w", c.peers[r.Rank].id, c.class, err)
	}
	return err
}

// overdueCall reports which peers are missing in a call, at intervals.
func (n *Node) overdueCall(f *Frame, cut int) {
	for _, c := range n.communicators {
		w, stream := c.waits(f, cut)
		if w == nil {
			continue
		}
		for _, rank := range c.group.Awaits(stream, w.number) {
			n.stats.Missing++
			n.queueEvent(Event{Kind: Missing, Module: f.module.Name, Name: f.module.Cuts[cut].Name, Exec: f.exec, Peer: c.peers[rank].id, Since: w.since})
		}
		c.group.Ask(stream, w.number)
		for rank, p := range c.peers { // including a peer that has never connected, after this time
			if n.isDown(p) {
				c.group.Down(rank)
			}
		}
		n.driveCalls(c)
		if f.settled(cut) {
			return
		}
		n.setDeadline(f, cut, cutOverdue, n.now+min(max(n.now-w.since, quorum.FirstWait), quorum.LongestWait))
	}
}
