package partitioner

import (
	"cmp"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// group is a set of nodes. Joined groups point to a common group.
type group struct {
	into  *group
	class *class
	nodes []*ir.Node
	host  bool // the host opens it
	boot  bool // it is the bootstrap
}

// find returns the group that g was joined to, or nil if g is nil.
func (g *group) find() *group {
	for g != nil && g.into != nil {
		g = g.into
	}
	return g
}

func join(a, b *group) *group {
	if a, b = a.find(), b.find(); a == b {
		return a
	}
	a, b = a.find(), b.find()
	b.into = a
	a.nodes = append(a.nodes, b.nodes...)
	a.host, a.boot = a.host || b.host, a.boot || b.boot
	b.nodes = nil
	return a
}

// joinBy joins g with the group of a key, which it is itself if there is none yet.
func joinBy[K comparable](groups map[K]*group, key K, g *group) {
	if groups[key] == nil {
		groups[key] = g
	}
	join(groups[key], g)
}

// openers returns the nodes of a group that open executions. A Recv from peers that only the engine names is
// an opener, too, if there is no other.
func (g *group) openers() []*ir.Node {
	var out, gathers []*ir.Node
	for _, n := range g.nodes {
		switch k := op.PeerKindOf(n); {
		case peer.Bootstraps(n):
			if op.OpensOf(n) == op.OpensBootstrap {
				return []*ir.Node{n}
			}
		case k == op.KindOpen || k == op.KindRecv && len(n.In) == 0:
			out = append(out, n)
		case k == op.KindRecv && len(n.In) > 0 && (n.In[0].Def == nil || free(n.In[0].Def)):
			gathers = append(gathers, n)
		}
	}
	if len(out) == 0 && !g.host {
		return gathers
	}
	return out
}

func (g *group) opened() bool { return g.host || len(g.openers()) > 0 }

func (g *group) first(pos map[*ir.Node]int) *ir.Node {
	return slices.MinFunc(g.nodes, func(a, b *ir.Node) int { return cmp.Compare(pos[a], pos[b]) })
}

// free reports whether n only asks the engine which peers are connected. Each activity that needs the answer
// asks for itself.
func free(n *ir.Node) bool {
	if op.PeerKindOf(n) != op.KindService || len(reads(n)) > 0 || len(n.Out) == 0 || op.Lookup(n).Peer.State != "" {
		return false
	}
	for _, v := range n.Out {
		if v == nil || !peer.NamePeers(v.Type) {
			return false
		}
	}
	return true
}
