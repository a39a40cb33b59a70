package partitioner

import (
	"maps"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// place assigns a class to each node: the class of its inputs. A sent value is in the class of the receiver.
// A node without inputs is in the class of other calls on its slot, or else of its readers, or else of the
// module that recorded it.
func (c *cutter) place() {
	c.home = map[*ir.Value]string{}
	for _, p := range c.m.Main.Body.Params {
		c.home[p], _, _ = strings.Cut(p.Name, ".")
	}
	p := &placer{cutter: c, placed: map[*ir.Node]bool{}, slots: map[slotKey]string{}, reads: map[*ir.Node][]*ir.Value{}, readers: map[*ir.Value][]*ir.Node{}}
	for _, n := range c.m.Main.Body.Nodes {
		p.reads[n] = reads(n)
		for _, v := range p.reads[n] {
			p.readers[v] = append(p.readers[v], n)
		}
	}
	p.rest = slices.Clone(c.m.Main.Body.Nodes)
	for _, n := range c.m.Main.Body.Nodes {
		if k := op.PeerKindOf(n); (k == op.KindRecv || k == op.KindOpen) && len(p.reads[n]) == 0 {
			p.put(n, n.Class)
		}
	}
	for p.byInputs() || p.bySlot() || p.byReaders() || p.byRoot() {
	}
	p.agree()
}

type slotKey struct{ root, slot string }

type placer struct {
	*cutter
	placed  map[*ir.Node]bool
	rest    []*ir.Node         // contains all nodes that are not placed, in order
	slots   map[slotKey]string // the class of the calls on a slot
	reads   map[*ir.Node][]*ir.Value
	readers map[*ir.Value][]*ir.Node
}

func (p *placer) put(n *ir.Node, class string) {
	if class == "" {
		p.failf(n, "no class of peers runs it: it reads nothing that lives on one, and no module recorded it")
	}
	n.Class, p.placed[n] = class, true
	k := slotKey{p.root[n], n.Str("slot")}
	if k.slot == "" {
		return
	}
	if have := p.slots[k]; have != "" && have != class {
		p.failf(n, "slot %q is used on %s here and on %s elsewhere: a component lives on one class of peers", k.slot, class, have)
	}
	p.slots[k] = class
}

// classOf returns the class of a value, or "" if it is not yet known.
func (p *placer) classOf(v *ir.Value) string {
	switch {
	case v.Def == nil:
		return p.home[v]
	case !p.placed[v.Def]:
		return ""
	case op.PeerKindOf(v.Def) == op.KindSend:
		return v.Def.Str("to")
	}
	return v.Def.Class
}

// each calls try for the nodes without a class, in order, and assigns the class that it returns. It reports
// whether it assigned any; if one is set, it stops after the first.
func (p *placer) each(one bool, try func(n *ir.Node) string) bool {
	found := false
	p.rest = slices.DeleteFunc(p.rest, func(n *ir.Node) bool { return p.placed[n] })
	for _, n := range p.rest {
		class := try(n)
		if class == "" {
			continue
		}
		found = true
		p.put(n, class)
		if one {
			break
		}
	}
	return found
}

func (p *placer) byInputs() bool {
	return p.each(false, func(n *ir.Node) string {
		if p.waits(n) {
			return ""
		}
		return p.readerClass(n)
	})
}

// agree checks that each node reads only values of its own class.
func (p *placer) agree() {
	for _, n := range p.m.Main.Body.Nodes {
		var first *ir.Value
		for _, v := range p.reads[n] {
			if first == nil {
				first = v
			}
			if a, b := p.classOf(first), p.classOf(v); a != b {
				p.failf(n, "reads %q, which lives on %s, and %q, which lives on %s: send one to the other with NetOut", first.Name, a, v.Name, b)
				break
			}
		}
	}
}

// waits reports whether n reads a value with a class that may still follow from the inputs of that value's node.
func (p *placer) waits(n *ir.Node) bool {
	for _, v := range p.reads[n] {
		if p.classOf(v) == "" && v.Def != nil && len(p.reads[v.Def]) > 0 {
			return true
		}
	}
	return false
}

func (p *placer) bySlot() bool {
	return p.each(false, func(n *ir.Node) string {
		if n.Str("slot") == "" {
			return ""
		}
		return p.slots[slotKey{p.root[n], n.Str("slot")}]
	})
}

// byReaders places the first node without inputs of which all readers are on one class.
func (p *placer) byReaders() bool {
	return p.each(true, func(n *ir.Node) string {
		if len(p.reads[n]) > 0 {
			return ""
		}
		all := map[string]bool{}
		for _, v := range n.Out {
			for _, r := range p.readers[v] {
				all[p.readerClass(r)] = true
			}
		}
		if len(all) != 1 {
			return ""
		}
		return slices.Collect(maps.Keys(all))[0]
	})
}

// readerClass returns the class of a reading node: its own, or that of its placed inputs.
func (p *placer) readerClass(n *ir.Node) string {
	if p.placed[n] {
		return n.Class
	}
	for _, v := range p.reads[n] {
		if at := p.classOf(v); at != "" {
			return at
		}
	}
	return ""
}

func (p *placer) byRoot() bool {
	return p.each(true, func(n *ir.Node) string {
		if len(p.reads[n]) > 0 && !p.stuck(n) {
			return ""
		}
		if n.Class == "" {
			p.put(n, "")
		}
		return n.Class
	})
}

// stuck reports whether no input of n can be placed before n.
func (p *placer) stuck(n *ir.Node) bool {
	for _, v := range p.reads[n] {
		if v.Def != nil && !p.placed[v.Def] {
			return false
		}
	}
	return true
}
