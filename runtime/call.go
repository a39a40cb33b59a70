package runtime

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/internal/ledger"
	"github.com/bbgen/bbgen/runtime/internal/outbox"
	"github.com/bbgen/bbgen/runtime/internal/quorum"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

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
	c.early = nil
	for i := range early {
		if err := n.receiveCall(c, early[i].from, &early[i].message); err != nil {
			n.refuse(early[i].from, wire.ExecID{}, n.partition.Edges[c.edges[early[i].message.Stream]].ID, err)
		}
	}
	return nil
}

// groupConfig returns the configuration that all restarts of a group of this incarnation have in common.
func (n *Node) groupConfig(c *communicator, ranks int) collective.Config {
	config := c.config(n.partition, &n.limits, ranks)
	config.Life = n.config.Incarnation
	if n.config.Identity != nil {
		config.Identity = &rankIdentity{n, c}
	}
	return config
}

// rankIdentity is the identity of this peer among those of a communicator.
type rankIdentity struct {
	n *Node
	c *communicator
}

// Sign signs a message for the peers of the communicator.
func (i *rankIdentity) Sign(message []byte) []byte { return i.n.config.Identity.Sign(i.of(message)) }

// Verify reports whether a rank has signed a message.
func (i *rankIdentity) Verify(rank int, message, signature []byte) bool {
	return i.n.config.Identity.Verify(i.c.peers[rank].id, i.of(message), signature)
}

// of returns a message with the class and the edges to which it belongs, so that it says nothing in other programs. A program
// that is accepted in place of this one has the same edges, and another fingerprint.
func (i *rankIdentity) of(message []byte) []byte {
	b := values.AppendText(nil, i.c.class)
	for _, e := range i.c.edges {
		b = binary.BigEndian.AppendUint64(b, uint64(i.n.partition.Edges[e].ID))
	}
	return append(b, message...)
}

// Collect calls the collective of an edge with a value of the frame. The result goes to a cut point. Calls of
// an edge are matched by their number on each peer, whatever their executions. A [tensor.Large] value in memory
// with a reference count is not copied, and must not be changed any more.
func (e *Engine) Collect(f *Frame, cut, edge int, m *tensor.Memory, data []byte, shape ...int) {
	n := e.node()
	c, stream := n.communicatorOf(&n.partition.Edges[edge])
	err := n.formGroup(c)
	if err == nil {
		c.group.SetLinks(n.linksOf(c))
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
			v = n.enterState(c, x, w.own)
		}
		if err = c.group.Begin(stream, v); err == nil {
			n.awaitCall(c, stream, w)
		}
	}
	if err != nil {
		n.lose(f, cut, err)
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

// failCalls makes all calls fail that a block would begin. The first lost result may end the frame, and the others must fail
// as well: otherwise the next calls here would be matched with those that the other peers have made.
func (n *Node) failCalls(f *Frame, blk *block) {
	for _, cut := range blk.starts {
		if f.module.Cuts[cut].Kind == CollectiveCut && !f.settled(cut) {
			n.failCall(f, cut)
		}
	}
}

// failCall makes a call fail on all peers that a frame will not make. Otherwise the other peers would wait for
// it.
func (n *Node) failCall(f *Frame, cut int) {
	c, stream := n.communicatorOf(f.module.collective(n.partition, cut))
	if w, _ := c.waits(f.ref(), cut); w != nil || n.formGroup(c) != nil {
		return
	}
	if err := c.group.Abort(stream); err != nil {
		n.overflow("calls of " + n.partition.Edges[c.edges[stream]].Name)
		return
	}
	c.waiting[stream].Push(callWaiter{})
	n.driveCalls(c)
}

// Limits of the unacknowledged chunks for a peer of a communicator. A link of 1 Gbit/s and 100 ms holds 12 MiB, but
// acknowledgements wait behind what the windows of all parallel connections hold, on both ends: see the long links in
// docs/findings.md.
const (
	callBytes     = 128 << 20
	callEnvelopes = 512
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
		n.lose(w.frame, w.cut, n.callError(c, r.Err))
		return
	}
	if w.own != nil {
		data, err := n.enterStep(c, r, w.own)
		if err != nil {
			n.lose(w.frame, w.cut, err)
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
		n.lose(w.frame, w.cut, err)
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
		w, stream := c.waits(f.ref(), cut)
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

// collective returns the edge of a cut point.
func (m *module) collective(p *Partition, cut int) *Edge {
	i := slices.IndexFunc(p.Edges, func(e Edge) bool { return e.Collective != nil && e.Receives && e.Module == m.index && e.Cut == cut })
	return &p.Edges[i]
}

// fillCall takes a chunk of a collective.
func (n *Node) fillCall(p *peer, e *Edge, fill *wire.SlotFill) error {
	c, stream := n.communicatorOf(e)
	var m collective.Message
	if err := m.SetWords(fill.Dims); err != nil {
		return err
	}
	if isFile(fill.Blob) {
		return errNotLoaded // see [Node.load]
	}
	m.Stream, m.Data = stream, fill.Payload
	if fill.Blob != nil && fill.Blob.Memory() == n.lent { // else others may read it
		m.Memory = n.lent
	}
	if c.group == nil {
		has, ok := c.keep(p, &m)
		if !ok {
			n.overflow("calls that come early")
			return fmt.Errorf("%w: %d bytes have come before the first call", ErrOverflow, has)
		}
		return nil
	}
	err := n.receiveCall(c, p, &m)
	n.driveCalls(c)
	return err
}

// receiveCall passes a message to the group.
func (n *Node) receiveCall(c *communicator, p *peer, m *collective.Message) error {
	rank := c.rank(p)
	if rank < 0 {
		return fmt.Errorf("%w: it came after the first call", ErrNotAsked)
	}
	n.stats.Fills++
	n.telemetry.Fill.Add(int64(len(m.Data)))
	return c.group.ReceiveIn(rank, m, m.Memory)
}

// isLost reports whether a peer was connected and is lost: it is silent, or its channel has closed and it
// cannot be dialed. A closed channel alone is not enough, as one of two crossing channels is closed. A peer
// that was never connected is waited for.
func (n *Node) isLost(p *peer) bool {
	return p.blocked || n.isDown(p) && p.incarnation != 0 && (p.connected || p.attempts > 1)
}

// computesWith reports whether a call waits in which a peer takes part. Then the peer is dialed even if there
// are no messages for it: otherwise its loss would not be detected.
func (n *Node) computesWith(p *peer) bool {
	for _, c := range n.communicators {
		rank := c.rank(p)
		if rank >= 0 && c.isAwaited() && c.isMember(rank) {
			return true
		}
	}
	return false
}

// seekMembers asks the host to dial members that are not connected.
func (n *Node) seekMembers(c *communicator) {
	for _, p := range c.peers {
		if !p.connected {
			n.schedule(p)
		}
	}
}

// noticeLost reports lost peers to the group.
func (n *Node) noticeLost(c *communicator) {
	if c.group == nil {
		return
	}
	for rank, p := range c.peers {
		if n.isLost(p) {
			c.group.Down(rank)
		}
	}
	n.withdrawCalls(c)
	n.driveCalls(c)
}

// withdrawCalls drops messages for peers that are neither members nor connected.
func (n *Node) withdrawCalls(c *communicator) {
	for rank, p := range c.peers {
		if !p.connected && p != n.self && !c.isMember(rank) {
			n.withdrawCallsTo(p)
		}
	}
}

// withdrawCallsTo drops messages of collectives for a peer.
func (n *Node) withdrawCallsTo(p *peer) {
	n.stats.Withdrawn += uint64(p.outbox.DeleteFunc(n.isCall))
}

// isCall reports whether an envelope carries a chunk of a collective.
func (n *Node) isCall(e *outbox.Envelope) bool {
	return len(e.Fills) == 1 && n.partition.Edges[e.Fills[0].Edge].Collective != nil
}

// handleRestart makes the groups of a peer continue without it until it has joined, because it has restarted
// without its state. Messages for its earlier incarnation must not reach it.
func (n *Node) handleRestart(p *peer) {
	for _, c := range n.communicators {
		if c.group == nil || !c.group.Joins() { // it repeats its earlier contribution, if it has made one
			continue
		}
		if rank := c.rank(p); rank >= 0 {
			n.withdrawCallsTo(p)
			c.group.Restarted(rank)
		}
	}
}
