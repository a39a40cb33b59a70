package partitioner

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
)

// origin is where executions begin, and where what comes in them arrives.
type origin struct {
	at    any // the class whose host begins them, or the node or group that does
	where where
}

// where is on which peer of the class that an execution began on something is.
type where int

const (
	here      where = iota // on that peer itself
	elsewhere              // on others
	anywhere               // it depends on who sends to whom
)

// meet checks that what a node waits for can come in one execution, on one peer.
func (b *body) meet() {
	seen := map[cutSet]bool{}
	for _, n := range b.nodes {
		full := b.full[n]
		if seen[full] {
			continue
		}
		seen[full] = true
		var cuts []*Cut
		for _, c := range b.module.Cuts {
			if full.has(c) && (c.Kind == Fill || c.Kind == Input || c.Kind == Gather) {
				cuts = append(cuts, c)
			}
		}
		for i, c := range cuts {
			for _, d := range cuts[:i] {
				if why := b.neverMeet(c, d); why != "" {
					b.failf(n, "waits for %s and %s, which never come in one execution: %s", d, c, why)
					return
				}
			}
		}
	}
}

// neverMeet says why two cut points never come in one execution, if so.
func (b *body) neverMeet(c, d *Cut) string {
	if c.Kind == Input && d.Kind == Input {
		return ""
	}
	x, y, oneOrigin := b.originsAt(c), b.originsAt(d), false
	for o := range x {
		for p := range y {
			if o.at == p.at && (o.where == p.where || o.where == anywhere || p.where == anywhere) {
				return ""
			}
			oneOrigin = oneOrigin || o.at == p.at
		}
	}
	if oneOrigin {
		return "one is there in executions that this peer has begun, the other comes in those of the peers of its class that send it; a Queue or a Hold takes values from one execution to another"
	}
	return "they begin in different places; Any takes whichever comes"
}

// originsAt returns the origins of what a cut point brings.
func (b *body) originsAt(c *Cut) map[origin]bool {
	switch {
	case c.Kind != Input:
		o := origins{b.cutter, map[origin]bool{}, map[origin]bool{}}
		o.of(c.Node, here)
		return o.found
	case b.module.Open != nil:
		return map[origin]bool{{at: b.module.Open}: true}
	}
	return map[origin]bool{{at: b.class}: true}
}

// origins finds where executions begin, from what is sent in them back to it.
type origins struct {
	*cutter
	found map[origin]bool
	seen  map[origin]bool // Sends
}

// of adds the origins of a node that opens executions, of which what is looked for
// is where w says.
func (o *origins) of(n *ir.Node, w where) {
	s := o.senderOf(n)
	if s == nil || apart(s) {
		o.found[origin{n, w}] = true
		return
	}
	g := o.groups[s].find()
	w = w.sent(s)
	if o.seen[origin{s, w}] {
		return
	}
	o.seen[origin{s, w}] = true
	openers, host := o.before(s)
	if len(openers) == 0 && !host { // it is sent whatever opens the group
		openers, host = g.openers(), g.host
	}
	if host {
		o.found[origin{g.class, w}] = true
	}
	for _, n := range openers {
		o.of(n, w)
	}
	if !g.opened() {
		o.found[origin{g, w}] = true
	}
}

// before returns the nodes that open executions which a Send waits for, and whether it
// waits for the host.
func (o *origins) before(send *ir.Node) (openers []*ir.Node, host bool) {
	g := o.groups[send].find()
	all, chains := g.openers(), o.chains(g.class.nodes)
	seen := map[*ir.Node]bool{send: true}
	for work := []*ir.Node{send}; len(work) > 0; {
		n := work[0]
		work = work[1:]
		if slices.Contains(all, n) {
			openers = append(openers, n)
		}
		var next []*ir.Node
		for _, v := range o.reads(n) {
			host = host || v.Def == nil
			next = append(next, v.Def)
		}
		for _, key := range o.chainKeys(n) {
			next = append(next, chains[key][:slices.Index(chains[key], n)]...)
		}
		for _, x := range next {
			if x != nil && !seen[x] && o.groups[x].find() == g {
				seen[x] = true
				work = append(work, x)
			}
		}
	}
	return openers, host
}

// sent returns where something is if one more Send lies between it and its origin.
func (w where) sent(send *ir.Node) where {
	switch {
	case w == here && aside(send):
		return elsewhere
	case !aside(send) && send.Str("to") == send.Class: // to itself
		return w
	}
	return anywhere
}
