package runtime

import (
	"slices"
	"time"

	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/internal/outbox"
	"github.com/bbgen/bbgen/runtime/limits"
)

// Collective describes the collective operation of an edge that leads to the peers' own class. Chunks are sent
// on the edge; their dimensions give their place in the operation: [collective.Words] of them.
type Collective struct {
	collective.Spec
	IfLost collective.IfLost // the same for all collective edges of a class
	State  []int             // the components of which a joining peer receives the state, with [collective.Enter]
}

// communicator is the group of peers of one class in collective operations: who they are, which cut points wait
// for results, and what has come before the first call. Ranks are assigned in the order of the roster when the
// first call is made. The Node sends what the group has to send, and passes its results on.
type communicator struct {
	class   string
	edges   []int             // of its streams
	group   *collective.Group // nil before the first call
	peers   []*peer           // by rank
	waiting []container.Fifo[callWaiter]
	early   []earlyFill // fills before the first call
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

// stream returns the stream of an edge, or -1 if it is another communicator's.
func (c *communicator) stream(edge int) int { return slices.Index(c.edges, edge) }

// rank returns the rank of a peer, or -1.
func (c *communicator) rank(p *peer) int { return slices.Index(c.peers, p) }

// isMember reports whether a rank takes part in the present epoch.
func (c *communicator) isMember(rank int) bool { return slices.Contains(c.group.Members(), rank) }

// isAwaited reports whether a result is waited for.
func (c *communicator) isAwaited() bool {
	return slices.ContainsFunc(c.waiting, func(q container.Fifo[callWaiter]) bool { return q.Len() > 0 })
}

// waits returns the call that a cut point waits for, and its stream.
func (c *communicator) waits(f frameRef, cut int) (*callWaiter, int) {
	for s := range c.waiting {
		for i := range c.waiting[s].Len() {
			if w := c.waiting[s].At(i); w.frameRef == f && w.cut == cut {
				return w, s
			}
		}
	}
	return nil, 0
}

// keep keeps a message that a peer sends before the first call here, once. It reports whether there is room, and the
// bytes that are kept of the peer: peers send little to a peer that has not begun.
func (c *communicator) keep(p *peer, m *collective.Message) (has int, ok bool) {
	for i := range c.early {
		e := &c.early[i]
		if e.from != p {
			continue
		}
		if e.message.Equal(m) { // it came on the previous connection, too
			return has, true
		}
		has += earlySize(&e.message)
	}
	if has+earlySize(m) > 4*len(c.edges)*collective.DefaultEager {
		return has, false
	}
	e := earlyFill{p, *m}
	e.message.Data, e.message.Memory = slices.Clone(m.Data), nil
	c.early = append(c.early, e)
	return has, true
}

// earlySize is what a message counts that is kept.
func earlySize(m *collective.Message) int { return 64 + len(m.Data) }

// config returns the configuration that all restarts of a group have in common.
func (c *communicator) config(p *Partition, l *limits.Limits, ranks int) collective.Config {
	config := collective.Config{
		Ranks:  ranks,
		IfLost: p.Edges[c.edges[0]].Collective.IfLost,
		Chunk:  min(collective.DefaultChunk, l.Wire.Chunk, l.Wire.Envelope/2),
		Calls:  l.Queue,
	}
	for _, e := range c.edges {
		config.Streams = append(config.Streams, p.Edges[e].Collective.Spec)
	}
	return config
}

// The links between peers are measured by the acknowledgements of what is sent anyway, as in BBR (Cardwell et al.
// 2016): the delay of a link is the shortest recent round trip, as longer ones include queues; the bandwidth of this
// peer is the highest recent rate at which all peers together have acknowledged, as a lower one may be all that the
// program has sent.

// leastBulk is the number of bytes that are acknowledged in a round trip if it tells the bandwidth. The round trip of
// less is mostly delay.
const leastBulk = 1 << 20

// measure records what the acknowledgement of an envelope tells about the links. That of a peer that waits for the processors of
// this one tells nothing about them.
func (n *Node) measure(p *peer, s outbox.Sample) {
	if p == n.self || s.RTT <= 0 || p.Near && n.sharing() > 1 {
		return
	}
	p.trip.Add(n.now, s.RTT)
	if s.Bytes >= leastBulk {
		n.rate.Add(n.now, max(int64(float64(s.Bytes)/float64(s.RTT)*1e9), 1))
	}
}

// linksOf returns what is known about the links of this peer to the others of a communicator.
func (n *Node) linksOf(c *communicator) (l collective.Links) {
	for _, p := range c.peers {
		l.Latency = max(l.Latency, time.Duration(p.trip.Least()/2))
	}
	l.Bandwidth, l.Sharing = n.rate.Most(), n.sharing()
	return l
}

// countNear counts a peer of this machine, or does not count it any more.
func (n *Node) countNear(p *peer, by int) {
	if p.Near {
		n.near += by
	}
}

// sharing returns how many peers share each processor of this machine, rounded down, or 0 if that is not known.
func (n *Node) sharing() int {
	if n.config.Processors < 1 {
		return 0
	}
	return (n.near + 1) / n.config.Processors
}
