package partitioner

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// questions finds the Sends that a gather's senders answer: those of the same activity that lead to the
// contributions. The time of a gather starts when they have been sent, and not when the peers are known,
// which may be long before.
func (b *body) questions() {
	b.asks = map[*ir.Node][]*ir.Node{}
	for _, recv := range b.nodes {
		if c := b.cutOf[recv]; c == nil || c.Kind != Gather || b.senderOf(recv) == nil {
			continue
		}
		led := b.causes(b.groups[b.senderOf(recv)].find())
		after := b.after(recv)
		for _, l := range b.links {
			to := b.groups[l.recv].find()
			leads := slices.ContainsFunc(led, func(x cause) bool { return x.group == to })
			if leads && !after[l.send] && slices.Contains(b.nodes, l.send) {
				b.asks[recv] = append(b.asks[recv], l.send)
			}
		}
	}
}

// after returns the nodes of all classes that may wait for a node, through values, calls on one slot, edges
// and questions.
func (b *body) after(first *ir.Node) map[*ir.Node]bool {
	seen := map[*ir.Node]bool{first: true}
	for work := []*ir.Node{first}; len(work) > 0; {
		n := work[0]
		work = work[1:]
		for _, x := range b.next(n) {
			if !seen[x] {
				seen[x] = true
				work = append(work, x)
			}
		}
	}
	return seen
}

// next returns the nodes that may directly wait for n.
func (b *body) next(n *ir.Node) []*ir.Node {
	var out []*ir.Node
	for _, v := range n.Out {
		out = append(out, b.readersOf(v)...)
	}
	for send, values := range b.together { // the parts of a bundle wait for each other
		if slices.ContainsFunc(n.Out, func(v *ir.Value) bool { return v != nil && slices.Contains(values, v) }) {
			out = append(out, send)
		}
	}
	if op.PeerKindOf(n) == op.KindSend {
		for _, l := range b.links {
			if l.send == n {
				out = append(out, l.recv)
			}
		}
		for recv, sends := range b.asks {
			if slices.Contains(sends, n) {
				out = append(out, recv)
			}
		}
	}
	g := b.groups[n].find()
	if g == nil {
		return out
	}
	if open := g.openers(); len(open) == 1 && open[0] == n { // no node runs before it
		out = append(out, g.nodes...)
	}
	chains := b.chained(g.class)
	for _, key := range b.chainKeys(n) {
		later := chains[key][slices.Index(chains[key], n)+1:]
		for _, x := range later {
			if b.groups[x].find() == g {
				out = append(out, x)
			}
		}
	}
	return out
}
