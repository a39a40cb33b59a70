package partitioner

import (
	"slices"
	"time"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// gathered is a gather: the values sent by each peer of a set, and the nodes that run for each of them.
type gathered struct {
	into  *gathered // the gather that this one was merged into
	peers *ir.Value
	recvs []*ir.Node
	child *body
	cut   *Cut
	joins *ir.Node // the node that defines the quorum
}

func (g *gathered) find() *gathered {
	for g != nil && g.into != nil {
		g = g.into
	}
	return g
}

// findGathers removes the nodes that run once for each sender from an activity. These are all nodes that
// depend on a Recv from a set of peers, up to the Folds and Gathers. A Fold runs for one sender after the
// other when all contributions are present; a Gather runs once.
func (b *body) findGathers() {
	b.childOf, b.foldOf = map[*ir.Value]*gathered{}, map[*ir.Node]*gathered{}
	of := map[*ir.Node]*gathered{}
	for _, n := range b.nodes {
		g := b.senders(n)
		if g == nil {
			b.contributesOnce(n)
			continue
		}
		of[n] = g
		switch op.PeerKindOf(n) {
		case op.KindGather:
			b.joinedBy(g, n)
			b.checkSampling(g, n)
			continue
		case op.KindNext:
			b.failf(n, "would begin a round for each sender: aggregate first")
		case op.KindCollective:
			b.failf(n, "would be called once for each sender, and not as often on all peers: aggregate first")
		}
		for _, v := range n.Out {
			if v != nil {
				b.childOf[v] = g
			}
		}
	}
	for v, g := range b.childOf {
		b.childOf[v] = g.find()
	}
	b.unread(of)
	b.divide(of)
	for _, g := range b.gathers {
		b.checkGather(g)
	}
}

// contributesOnce reports a contribution that does not come from each peer of a set. No gather would wait for it, and
// its quorum would have no effect.
func (b *body) contributesOnce(n *ir.Node) {
	if op.PeerKindOf(n) == op.KindFold {
		b.failf(n, "contributes a value that comes once, not from each peer of a set: give its input From(peers)")
	}
}

// unread merges an unused value into a gather of the same peers, as both may be parts of one bundle.
func (b *body) unread(of map[*ir.Node]*gathered) {
	for _, n := range b.nodes {
		g := of[n].find()
		if g == nil || op.PeerKindOf(n) != op.KindRecv || g.joins != nil || len(g.recvs) > 1 || b.isRead(n.Out[0]) {
			continue
		}
		for _, x := range b.nodes {
			if h := of[x].find(); h != nil && h != g && h.peers == g.peers {
				g.into = h
				h.recvs = append(h.recvs, n)
				for _, v := range present(n.Out) {
					b.childOf[v] = h
				}
				break
			}
		}
	}
}

// senders returns the gather if n runs once for each of its senders, or nil if n runs only once.
func (b *body) senders(n *ir.Node) *gathered {
	if op.PeerKindOf(n) == op.KindRecv && len(n.In) > 0 {
		return &gathered{peers: n.In[0], recvs: []*ir.Node{n}}
	}
	var g *gathered
	for _, v := range reads(n) {
		h := b.childOf[v].find()
		switch {
		case h == nil || h == g:
		case g == nil:
			g = h
		case g.peers != h.peers:
			b.failf(n, "reads what comes from two sets of peers, %q and %q: peers of one cannot be matched with peers of the other", g.peers.Name, h.peers.Name)
		default:
			h.into = g
			g.recvs = append(g.recvs, h.recvs...)
		}
	}
	return g
}

// joinedBy records the node that defines the quorum.
func (b *body) joinedBy(g *gathered, n *ir.Node) {
	if g.joins != nil && (g.joins.Int("quorum") != n.Int("quorum") || g.joins.Int64("within") != n.Int64("within")) {
		b.failf(n, "waits for %d peers, %s, and %s (%s) for %d of the same, %s: say the same quorum and time for both", n.Int("quorum"), howLong(n), g.joins, g.joins.Pos, g.joins.Int("quorum"), howLong(g.joins))
	}
	g.joins = n
}

// howLong says how long a node waits for the peers of its quorum.
func howLong(n *ir.Node) string {
	if within := n.Int64("within"); within > 0 {
		return "at most " + time.Duration(within).String()
	}
	return "without a limit of time"
}

// divide assigns the nodes of each gather. A Fold and the Recvs stay in the activity, where the gather waits
// for the contributions.
func (b *body) divide(of map[*ir.Node]*gathered) {
	var own []*ir.Node
	for _, n := range b.nodes {
		g := of[n].find()
		if g == nil || op.PeerKindOf(n) == op.KindGather {
			own = append(own, n)
			continue
		}
		if g.child == nil {
			g.child = &body{cutter: b.cutter, class: b.class}
			b.gathers = append(b.gathers, g)
		}
		switch {
		case op.PeerKindOf(n) == op.KindFold:
			b.foldOf[n] = g
			own = append(own, n)
			continue
		case op.PeerKindOf(n) == op.KindRecv:
			own = append(own, n)
		}
		b.inside(g, n)
		g.child.nodes = append(g.child.nodes, n)
	}
	b.nodes = own
}

// inside checks that nodes that run once for each sender read no values of the enclosing activity. Nodes that
// list peers are copied instead.
func (b *body) inside(g *gathered, n *ir.Node) {
	if op.PeerKindOf(n) == op.KindRecv {
		return
	}
	for i, v := range n.In {
		if v != nil && v.Def != nil && free(v.Def) {
			own := b.askAgain(v.Def)
			g.child.nodes = append(g.child.nodes, own)
			n.In[i] = own.Out[0]
		}
	}
	for _, v := range reads(n) {
		if v.Def != nil && op.PeerKindOf(v.Def) == op.KindFold {
			b.failf(n, "runs for each of %q, but %q comes when all have contributed", g.peers.Name, v.Name)
		}
		if b.childOf[v] == nil && (v.Def == nil || !free(v.Def)) {
			b.failf(n, "runs for each of %q, but %q is there once for all of them: let an aggregator bring the two together", g.peers.Name, v.Name)
		}
	}
}

// checkGather checks that the gather has a quorum.
func (b *body) checkGather(g *gathered) {
	recv := g.recvs[0]
	switch n := g.joins; {
	case n == nil:
		b.failf(recv, "comes from many peers, and nothing joins it: give it to an aggregator")
	case !n.Has("quorum"):
		b.failf(n, "has no attribute %q: say how many peers are enough", "quorum")
	case n.Int("quorum") < 0:
		b.failf(n, "attribute %q is %d, want 1 or more, or 0 for all", "quorum", n.Int("quorum"))
	case !n.Has("within"):
		b.failf(n, "has no attribute %q: say how long to wait for the peers that are not needed, 0 for as long as it has taken so far", "within")
	case n.Int64("within") < 0:
		b.failf(n, "attribute %q is %d, want 0 or more", "within", n.Int64("within"))
	}
}

// gatherCut returns the cut point that comes when all senders have contributed.
func (b *body) gatherCut(g *gathered) *Cut {
	return &Cut{Kind: Gather, Name: g.recvs[0].Str("port"), Node: g.recvs[0], Peers: g.peers,
		Quorum: g.joins.Int("quorum"), Within: time.Duration(g.joins.Int64("within"))}
}

func present(vs []*ir.Value) []*ir.Value {
	return slices.DeleteFunc(slices.Clone(vs), func(v *ir.Value) bool { return v == nil })
}
