package runtime

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/wire"
)

// fillCall takes a chunk of a collective.
func (n *Node) fillCall(p *peer, e *Edge, fill *wire.SlotFill) error {
	c, stream := n.communicatorOf(e)
	var m collective.Message
	if err := m.SetWords(fill.Dims); err != nil {
		return err
	}
	data, err := Payload(fill)
	if err != nil {
		return err
	}
	m.Stream, m.Data = stream, data
	if c.group == nil {
		return n.keepCall(c, p, &m)
	}
	err = n.receiveCall(c, p, &m)
	n.drive(c)
	return err
}

// receiveCall gives a message to the group.
func (n *Node) receiveCall(c *communicator, p *peer, m *collective.Message) error {
	rank := slices.Index(c.peers, p)
	if rank < 0 {
		return fmt.Errorf("%w: it came after the first call", ErrNotAsked)
	}
	n.stats.Fills++
	n.telemetry.Fill.Add(int64(len(m.Data)))
	return c.group.Receive(rank, m)
}

// keepCall keeps what comes before the first call here. Peers send little to one that
// has not begun.
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
	e.message.Data = slices.Clone(m.Data)
	c.early = append(c.early, e)
	return nil
}

// noticeLost tells the group of peers that were there and are not. One that never was is
// waited for.
func (n *Node) noticeLost(c *communicator) {
	if c.group == nil {
		return
	}
	for rank, p := range c.peers {
		if p.down && p.incarnation != 0 || p.blocked {
			c.group.Down(rank)
		}
	}
	n.withdrawCalls(c)
	n.drive(c)
}

// withdrawCalls drops what would go to peers that are no members any more and not
// connected.
func (n *Node) withdrawCalls(c *communicator) {
	for rank, p := range c.peers {
		if p.connected || p == n.self || slices.Contains(c.group.Members(), rank) {
			continue
		}
		o := &p.outbox
		kept := fifo[*envelope]{}
		for i := range o.queue.n {
			if e := *o.queue.at(i); n.isCall(e) {
				n.stats.Withdrawn++
				n.outbound--
				p.outBytes -= e.bytes
				n.free(e)
			} else {
				kept.push(e)
			}
		}
		o.queue, o.sent = kept, 0
		o.rewind()
	}
}

// isCall reports whether an envelope carries a chunk of a collective.
func (n *Node) isCall(e *envelope) bool {
	return len(e.fills) == 1 && n.partition.Edges[e.fills[0].edge].Collective != nil
}
