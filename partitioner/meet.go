package partitioner

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
)

// origin is a place where executions begin and where their values may arrive.
type origin struct {
	at    any // the class of the host that begins them, or the node or group that does
	where where
}

// where is the location of a value, relative to the peer of the class on which the execution began.
type where int

const (
	here      where = iota // on that peer itself
	elsewhere              // on other peers
	anywhere               // depends on which peer sends to which
)

// meet checks that all values a node waits for can arrive in one execution, on one peer.
func (b *body) meet() {
	if b.met == nil {
		b.met, b.begun = map[[2]*Cut]bool{}, map[*Cut]map[origin]bool{}
	}
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
				if b.met[[2]*Cut{c, d}] {
					continue
				}
				b.met[[2]*Cut{c, d}] = true
				if why := b.neverMeet(c, d); why != "" {
					b.failf(n, "waits for %s and %s, which never come in one execution: %s", d, c, why)
					return
				}
			}
		}
	}
}

// neverMeet returns the reason why two cut points never come in one execution, or "".
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

// originsAt returns the origins of the values of a cut point.
func (b *body) originsAt(c *Cut) map[origin]bool {
	switch {
	case c.Kind != Input && b.begun[c] != nil:
		return b.begun[c]
	case c.Kind != Input:
		o := origins{b.cutter, map[origin]bool{}, map[origin]bool{}}
		o.of(c.Node, here)
		b.begun[c] = o.found
		return o.found
	case b.module.Open != nil:
		return map[origin]bool{{at: b.module.Open}: true}
	}
	return map[origin]bool{{at: b.class}: true}
}

// origins traces messages back to the places where their executions begin.
type origins struct {
	*cutter
	found map[origin]bool
	seen  map[origin]bool // of Sends
}

// of adds the origins of a node that opens executions. The traced value is at w.
func (o *origins) of(n *ir.Node, w where) {
	s := o.senderOf(n)
	if s == nil {
		o.found[origin{n, w}] = true
		return
	}
	if alone := o.apart(s); alone != nil {
		o.found[origin{alone, w}] = true
		return
	}
	g := o.groups[s].find()
	w = w.sent(s)
	if o.seen[origin{s, w}] {
		return
	}
	o.seen[origin{s, w}] = true
	openers, host := o.before(s)
	if len(openers) == 0 && !host { // it is sent whenever the group opens
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

// before returns the nodes which a Send waits for that open executions, and whether it waits for the host.
func (o *origins) before(send *ir.Node) (openers []*ir.Node, host bool) {
	g := o.groups[send].find()
	all, chains := g.openers(), o.chained(g.class)
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

// sent returns the location of a value after one more Send.
func (w where) sent(send *ir.Node) where {
	switch {
	case w == here && aside(send):
		return elsewhere
	case !aside(send) && send.Str("to") == send.Class: // to itself
		return w
	}
	return anywhere
}
