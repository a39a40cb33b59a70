package partitioner

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/runtime/wire/edgeid"
)

// edges makes the program's edge table, in the order of [Edge.Text].
func (c *cutter) edges() {
	c.edgeOf = map[*ir.Node]*Edge{}
	ids := map[uint64]*Edge{}
	for _, l := range c.links {
		e, err := c.edge(l)
		if err != nil {
			c.failf(l.send, "%w", err)
			continue
		}
		if have := ids[uint64(e.ID)]; have != nil {
			c.failf(l.send, "edge %s has the id of edge %s (%s): give one of them another name", e.Name, have.Name, have.Pos)
		}
		ids[uint64(e.ID)] = e
		c.edgeOf[l.send], c.edgeOf[l.recv] = e, e
		c.prog.Edges = append(c.prog.Edges, e)
	}
	c.collectives(ids)
	slices.SortFunc(c.prog.Edges, func(a, b *Edge) int { return strings.Compare(a.Text, b.Text) })
	for i, e := range c.prog.Edges {
		e.Index = i
	}
}

func (c *cutter) edge(l *link) (*Edge, error) {
	name := l.send.Str("port")
	if strings.ContainsAny(name, "\n") || name == "" {
		return nil, fmt.Errorf("port %q is no name for an edge", name)
	}
	sent, want := l.send.In[peer.SentValue].Type, l.recv.Out[0].Type
	t, err := edgeType(sent, want)
	if err != nil {
		return nil, fmt.Errorf("sends %s on %q, and %s (%s) takes %s: %w", sent, name, l.recv.Class, l.recv.Pos, want, err)
	}
	if !t.Known() {
		return nil, fmt.Errorf("sends %s on %q: the number of its axes must be known; say of what types the outputs are where it comes from", t, name)
	}
	e := &Edge{Name: l.send.Class + "." + name, From: l.send.Class, To: l.recv.Class, Type: t, Pos: l.send.Pos}
	e.Trigger = !c.isRead(l.recv.Out[0]) || t.Equal(peer.Trigger)
	if to := l.send.In[peer.SentTo].Def; to != nil {
		o := op.Lookup(to)
		e.InTurn = o != nil && o.Peer != nil && o.Peer.InTurn
	}
	e.Named = l.send.Int("named") != 0
	typ := canonical(t)
	e.Text = edgeid.Text(e.From, name, e.To, typ)
	e.ID, e.Hash = c.opt.hash(e.Text), edgeid.Type(typ)
	return e, nil
}

// isRead reports whether any node reads v.
func (c *cutter) isRead(v *ir.Value) bool {
	if v == nil {
		return false
	}
	if c.read == nil {
		c.read = map[*ir.Value]bool{}
		for _, n := range c.m.Main.Body.Nodes {
			for _, x := range c.reads(n) {
				c.read[x] = true
			}
		}
	}
	return c.read[v]
}

// fingerprint hashes everything that peers must agree on: the edge table, and the edges on which each module
// of a class sends and receives.
func (c *cutter) fingerprint() {
	h := sha256.New()
	for _, e := range c.prog.Edges {
		fmt.Fprintf(h, "edge\n%s\n%v\n", e.Text, e.Trigger)
	}
	for _, p := range c.prog.Parts {
		for _, m := range p.Modules {
			fmt.Fprintf(h, "module\n%s\n%s\n", p.Class, strings.Join(crossings(m), "\n"))
		}
	}
	c.prog.Fingerprint = h.Sum(nil)
}

// crossings lists the edges on which a module sends and receives values.
func crossings(m *Module) []string {
	var out []string
	for _, cut := range m.Cuts {
		if cut.Edge != nil {
			out = append(out, fmt.Sprintf("takes %v child=%v", cut.Edge.ID, m.Parent != nil))
		}
	}
	for _, b := range m.Blocks {
		for _, s := range b.Steps {
			if s.Edge != nil {
				out = append(out, fmt.Sprintf("gives %v", s.Edge.ID))
			}
		}
	}
	slices.Sort(out)
	return out
}
