package partitioner

import (
	"time"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// gathered is a gather: what every one of a set of peers sends, and what is done
// with it for each of them.
type gathered struct {
	into  *gathered // the gather that it turned out to be a part of
	peers *ir.Value
	recvs []*ir.Node
	child *body
	cut   *Cut
	joins *ir.Node // the node that says how many are enough
}

func (g *gathered) find() *gathered {
	for g != nil && g.into != nil {
		g = g.into
	}
	return g
}

// findGathers takes the nodes that run once for each sender out of an activity:
// all that depends on a Recv from a set of peers, up to the Folds, which run for
// one sender after the other when all are there, and the Gathers, which run
// once.
func (b *body) findGathers() {
	b.childOf, b.foldOf = map[*ir.Value]*gathered{}, map[*ir.Node]*gathered{}
	of := map[*ir.Node]*gathered{}
	for _, n := range b.nodes {
		g := b.senders(n)
		if g == nil {
			continue
		}
		of[n] = g
		switch kind(n) {
		case op.KindGather:
			b.joinedBy(g, n)
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

// unread lets a value that nobody reads come with another one of the same peers,
// whose other part it may be.
func (b *body) unread(of map[*ir.Node]*gathered) {
	for _, n := range b.nodes {
		g := of[n].find()
		if g == nil || kind(n) != op.KindRecv || g.joins != nil || len(g.recvs) > 1 || b.isRead(n.Out[0]) {
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

// senders returns the gather whose senders each have an n of their own, nil if n runs
// once.
func (b *body) senders(n *ir.Node) *gathered {
	if kind(n) == op.KindRecv && len(n.In) > 0 {
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
			b.failf(n, "reads what comes from two sets of peers, %q and %q: nothing says which of one belongs to which of the other", g.peers.Name, h.peers.Name)
		default:
			h.into = g
			g.recvs = append(g.recvs, h.recvs...)
		}
	}
	return g
}

// joinedBy notes the node that says how many senders are enough.
func (b *body) joinedBy(g *gathered, n *ir.Node) {
	if g.joins != nil && (g.joins.Int("quorum") != n.Int("quorum") || g.joins.Int("within") != n.Int("within")) {
		b.failf(n, "waits for %d peers, and %s (%s) for %d of the same: say the same quorum and time for both", n.Int("quorum"), g.joins, g.joins.Pos, g.joins.Int("quorum"))
	}
	g.joins = n
}

// divide gives each gather its nodes. A Fold and the Recvs stay in the activity:
// one is where the others are expected.
func (b *body) divide(of map[*ir.Node]*gathered) {
	var own []*ir.Node
	for _, n := range b.nodes {
		g := of[n].find()
		if g == nil || kind(n) == op.KindGather {
			own = append(own, n)
			continue
		}
		if g.child == nil {
			g.child = &body{cutter: b.cutter, class: b.class}
			b.gathers = append(b.gathers, g)
		}
		switch {
		case kind(n) == op.KindFold:
			b.foldOf[n] = g
			own = append(own, n)
			continue
		case kind(n) == op.KindRecv:
			own = append(own, n)
		}
		b.inside(g, n)
		g.child.nodes = append(g.child.nodes, n)
	}
	b.nodes = own
}

// inside checks that what runs once for each sender reads nothing that is there
// once for all, and lets it ask by itself who is there.
func (b *body) inside(g *gathered, n *ir.Node) {
	if kind(n) == op.KindRecv {
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
		if v.Def != nil && kind(v.Def) == op.KindFold {
			b.failf(n, "runs for each of %q, but %q comes when all have contributed", g.peers.Name, v.Name)
		}
		if b.childOf[v] == nil && (v.Def == nil || !free(v.Def)) {
			b.failf(n, "runs for each of %q, but %q is there once for all of them: let an aggregator bring the two together", g.peers.Name, v.Name)
		}
	}
}

// checkGather checks that it is known when a gather has enough.
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
	case n.Int("within") < 0:
		b.failf(n, "attribute %q is %d, want 0 or more", "within", n.Int("within"))
	}
}

// gatherCut returns the cut point behind which all senders have contributed.
func (b *body) gatherCut(g *gathered) *Cut {
	return &Cut{Kind: Gather, Name: g.recvs[0].Str("port"), Node: g.recvs[0], Peers: g.peers,
		Quorum: g.joins.Int("quorum"), Within: time.Duration(g.joins.Int("within"))}
}
