package runtime

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/internal/outbox"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// fillCall takes a chunk of a collective.
func (n *Node) fillCall(p *peer, e *Edge, fill *wire.SlotFill) error {
	c, stream := n.communicatorOf(e)
	var m collective.Message
	if err := m.SetWords(fill.Dims); err != nil {
		return err
	}
	data, err := values.Payload(fill)
	if err != nil {
		return err
	}
	m.Stream, m.Data = stream, data
	if fill.Blob != nil && fill.Blob.Memory() == n.lent { // else others may read it
		m.Memory = n.lent
	}
	if c.group == nil {
		return n.keepCall(c, p, &m)
	}
	err = n.receiveCall(c, p, &m)
	n.driveCalls(c)
	return err
}

// receiveCall passes a message to the group.
func (n *Node) receiveCall(c *communicator, p *peer, m *collective.Message) error {
	rank := slices.Index(c.peers, p)
	if rank < 0 {
		return fmt.Errorf("%w: it came after the first call", ErrNotAsked)
	}
	n.stats.Fills++
	n.telemetry.Fill.Add(int64(len(m.Data)))
	return c.group.ReceiveIn(rank, m, m.Memory)
}

// keepCall keeps messages that are received before the first call here. Peers send little to a peer that has not begun.
func (n *Node) keepCall(c *communicator, p *peer, m *collective.Message) error {
	most := 4 * len(c.edges) * collective.DefaultEager
	has := 0
	for i := range c.early {
		if c.early[i].from == p {
			has += 64 + len(c.early[i].message.Data)
		}
	}
	if has+64+len(m.Data) > most {
		n.overflow("calls that come early")
		return fmt.Errorf("%w: %d bytes have come before the first call", ErrOverflow, has)
	}
	e := earlyFill{p, *m}
	e.message.Data, e.message.Memory = slices.Clone(m.Data), nil
	c.early = append(c.early, e)
	return nil
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
		rank := slices.Index(c.peers, p)
		if rank >= 0 && slices.ContainsFunc(c.waiting, func(q container.Fifo[callWaiter]) bool { return q.Len() > 0 }) && c.isMember(rank) {
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
