package partitioner

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// carry sends the values of symbols along with tensors. A receiver knows the size of each axis of a received
// tensor; if the size is 4*n, it does not know n. If it needs n, the sender sends it on an edge of its own.
func (c *cutter) carry() {
	for again := true; again; {
		again = false
		for _, l := range slices.Clone(c.links) {
			for _, s := range c.unknown(l) {
				if c.carrySize(l, s) {
					again = true
				}
			}
		}
	}
}

// unknown returns the symbols in the type of a link that the receiving class needs but cannot derive.
func (c *cutter) unknown(l *link) []string {
	var out []string
	for _, d := range l.recv.Out[0].Type.Shape {
		d.Syms(func(s string) {
			if !slices.Contains(out, s) && c.binder(s, l.recv.Class) == nil && c.computesWith(s, l.recv.Class) {
				out = append(out, s)
			}
		})
	}
	return out
}

// carrySize sends the symbol s along with l. It reports whether it could: the sender may have to receive the
// symbol first.
func (c *cutter) carrySize(l *link, s string) bool {
	v := c.binder(s, l.send.Class)
	if v == nil {
		return false
	}
	b := &ir.Builder{Module: c.m, Infer: op.Inferrer{}, Prefix: "size_", Class: l.send.Class, Pos: l.send.Pos}
	size := c.sizeOf(b, v, s)
	send := &ir.Node{Op: "Send", Domain: peer.WireDomain, Name: c.m.FreshName(l.send.Name + "." + s), In: slices.Clone(l.send.In),
		Attrs: slices.Clone(l.send.Attrs), Version: l.send.Version, Class: l.send.Class, Pos: l.send.Pos}
	send.In[peer.SentValue] = size
	send.Attrs.Set("port", l.send.Str("port")+"."+s)
	w := &wiring{cutter: c}
	recv := w.received(send, port{l.recv.Class, send.Str("port")}, size.Type, size.Name)
	recv.In = slices.Clone(l.recv.In)
	recv.Out[0].Elems, recv.Out[0].ElemSyms = []ir.Dim{ir.Sym(s)}, []string{s}
	c.root[send] = c.root[l.send]
	c.links = append(c.links, &link{send, recv})
	for _, n := range c.m.Main.Body.Nodes {
		if n.Class == recv.Class && op.PeerKindOf(n) == 0 && slices.Contains(symbolsOf(n), s) {
			c.sizes[n] = append(c.sizes[n], recv.Out[0])
		}
	}
	c.insertAfter(l.send, append(b.Nodes, send)...)
	c.insertAfter(l.recv, recv)
	return true
}

// sizeOf computes the symbol s as a tensor, from a value with an axis of that size or an element of that
// value.
func (c *cutter) sizeOf(b *ir.Builder, v *ir.Value, s string) *ir.Value {
	i := int64(slices.IndexFunc(v.Type.Shape, func(d ir.Dim) bool { return isSym(d, s) }))
	if i < 0 {
		i = int64(slices.IndexFunc(v.Elems, func(d ir.Dim) bool { return isSym(d, s) }))
		return b.Op("Slice", v, b.Ints(int(i)), b.Ints(int(i)+1))
	}
	return b.OpA("Shape", ir.Attrs{{Name: "start", Value: i}, {Name: "end", Value: i + 1}}, v)
}

// binder returns a value of a class with an axis of size s, or an element equal to s, or nil.
func (c *cutter) binder(s, class string) *ir.Value {
	for _, p := range c.m.Main.Body.Params {
		if c.home[p] == class && binds(p, s) {
			return p
		}
	}
	for _, n := range c.m.Main.Body.Nodes {
		if n.Class != class {
			continue
		}
		if v := bindsFirst(n, s); v != nil {
			return v
		}
	}
	return nil
}

// bindsFirst returns an output of n that makes s known, or nil. A computation with an axis of size s already
// knew s, unless its output size depends on data.
func bindsFirst(n *ir.Node, s string) *ir.Value {
	for _, v := range n.Out {
		switch {
		case v == nil:
		case slices.Contains(v.ElemSyms, s):
			return v
		case binds(v, s) && (op.PeerKindOf(n) != 0 || slices.Contains(n.Syms, s)):
			return v
		}
	}
	return nil
}

// binds reports whether v determines s.
func binds(v *ir.Value, s string) bool {
	is := func(d ir.Dim) bool { return isSym(d, s) }
	return v.Type.Kind == ir.Tensor && slices.ContainsFunc(v.Type.Shape, is) || slices.ContainsFunc(v.Elems, is)
}

func isSym(d ir.Dim, s string) bool {
	have, ok := d.Symbol()
	return ok && have == s
}

// computesWith reports whether a computation of a class reads or writes a value of a size that depends on s.
func (c *cutter) computesWith(s, class string) bool {
	return slices.ContainsFunc(c.m.Main.Body.Nodes, func(n *ir.Node) bool {
		return n.Class == class && op.PeerKindOf(n) == 0 && slices.Contains(symbolsOf(n), s)
	})
}

// symbolsOf returns the symbols that a node and the nodes in its regions compute with.
func symbolsOf(n *ir.Node) []string {
	var out []string
	add := func(s string) {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	value := func(v *ir.Value) {
		if v == nil || v.IsConst() {
			return
		}
		for t := &v.Type; t != nil; t = t.Of {
			for _, d := range t.Shape {
				d.Syms(add)
			}
		}
		for _, d := range v.Elems {
			d.Syms(add)
		}
	}
	for _, v := range reads(n) {
		value(v)
	}
	(&ir.Region{Nodes: []*ir.Node{n}}).Values(value)
	return out
}

// insertAfter inserts nodes after a node of the main body.
func (c *cutter) insertAfter(n *ir.Node, more ...*ir.Node) {
	body := c.m.Main.Body
	i := slices.Index(body.Nodes, n)
	body.Nodes = slices.Insert(body.Nodes, i+1, more...)
}

// insertBefore inserts a node before a node of the main body.
func (c *cutter) insertBefore(n, first *ir.Node) {
	body := c.m.Main.Body
	body.Nodes = slices.Insert(body.Nodes, slices.Index(body.Nodes, n), first)
}
