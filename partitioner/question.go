package partitioner

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
)

// questions finds the Sends that a gather's senders answer: those of the same
// activity that lead to what they send. The time of a gather begins when they have
// been sent, not when it is known who is asked, which may be long before.
func (b *body) questions() {
	b.asks = map[*ir.Node][]*ir.Node{}
	for _, recv := range b.nodes {
		if c := b.cutOf[recv]; c == nil || c.Kind != Gather || b.senderOf(recv) == nil {
			continue
		}
		led := b.causes(b.groups[b.senderOf(recv)].find())
		for _, l := range b.links {
			to := b.groups[l.recv].find()
			if !slices.Contains(b.nodes, l.send) || !slices.ContainsFunc(led, func(x cause) bool { return x.group == to }) {
				continue
			}
			if !b.dependsOn(l.send, recv, map[*ir.Node]bool{}) {
				b.asks[recv] = append(b.asks[recv], l.send)
			}
		}
	}
}

// dependsOn reports whether a node of the activity waits for another one.
func (b *body) dependsOn(n, other *ir.Node, seen map[*ir.Node]bool) bool {
	if n == other {
		return true
	}
	if n == nil || seen[n] {
		return false
	}
	seen[n] = true
	before := slices.Concat(b.prev[n], b.asks[n])
	for _, v := range b.reads(n) {
		before = append(before, b.definer(v))
	}
	return slices.ContainsFunc(before, func(x *ir.Node) bool { return b.dependsOn(x, other, seen) })
}

// definer is the node of the activity that has to have run when a value is there:
// for what each sender has of its own, the one that says who they are.
func (b *body) definer(v *ir.Value) *ir.Node {
	if g := b.childOf[v]; g != nil && b.foldOf[v.Def] == nil {
		return g.cut.Node
	}
	return v.Def
}
