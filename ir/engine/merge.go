// Package engine merges consecutive graphs that an engine of the author's computes: a value that one Run
// passes to the next Run on its slot need not leave the engine. It rewrites the graph and depends neither on
// peers nor on Go.
package engine

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/ir/pass"
)

// Pass is [Merge] as a pass, for programs.
var Pass = &pass.Pass{Name: "merge", Run: func(_ *pass.Context, m *ir.Module) error { return Merge(m) }, After: []*pass.Pass{pass.Early}}

// Merge merges two Runs on a slot if the second one reads results of the first, and all its other inputs are
// present when the first begins. So a chain becomes one graph. Runs with a send or a wait between them stay
// separate.
func Merge(m *ir.Module) error {
	for {
		a, b := next(m.Main.Body)
		if a == nil {
			return nil
		}
		if err := merge(m, a, b); err != nil {
			return fmt.Errorf("%s and %s: %w", a, b, err)
		}
	}
}

// next returns two Runs that can be merged, or nil.
func next(r *ir.Region) (a, b *ir.Node) {
	last := map[string]*ir.Node{} // by slot and class
	for _, n := range r.Nodes {
		if o := op.PeerOf(n); o == nil || !o.Merges {
			continue
		}
		key := n.Class + "/" + n.Str(peer.SlotAttr) + "/" + n.Str(peer.PhaseAttr)
		if a := last[key]; a != nil && follows(a, n) {
			return a, n
		}
		last[key] = n
	}
	return nil, nil
}

// follows reports whether b can be computed together with a.
func follows(a, b *ir.Node) bool {
	there := roots(a.In)
	reads := false
	for _, v := range b.In {
		if v != nil && v.Def == a {
			reads = true
			continue
		}
		if v == nil || v.Type.Equal(peer.Trigger) {
			return false
		}
		for root := range roots([]*ir.Value{v}) {
			if !there[root] {
				return false
			}
		}
	}
	return reads && sized(a) && sized(b) && sameOpsets(a, b)
}

// roots returns the events that values depend on: inputs of the program, and results of the engine, of
// components and of other peers.
func roots(vs []*ir.Value) map[any]bool {
	out := map[any]bool{}
	seen := map[*ir.Value]bool{}
	var walk func(v *ir.Value)
	walk = func(v *ir.Value) {
		switch {
		case v == nil || v.IsConst() || seen[v]:
			return
		case v.Def == nil:
			out[v] = true
			return
		case op.Lookup(v.Def).Peer != nil:
			out[v.Def] = true
			return
		}
		seen[v] = true
		for _, x := range v.Def.In {
			walk(x)
		}
		for _, in := range v.Def.Regions {
			for _, x := range in.Captures() {
				walk(x)
			}
		}
	}
	for _, v := range vs {
		walk(v)
	}
	return out
}

// sized reports whether each size in the types of a Run's outputs is a number or a symbol, so that it can be
// stated again.
func sized(n *ir.Node) bool {
	return !slices.ContainsFunc(n.Out, func(v *ir.Value) bool {
		return v != nil && slices.ContainsFunc(v.Type.Shape, func(d ir.Dim) bool {
			_, number := d.Const()
			_, name := d.Symbol()
			return !number && !name
		})
	})
}

// merge replaces a and b by one Run, and moves the inputs of b before it.
func merge(m *ir.Module, a, b *ir.Node) error {
	body := m.Main.Body
	n := &ir.Node{Op: a.Op, Domain: a.Domain, Version: a.Version, Name: a.Name, Class: a.Class, Pos: a.Pos}
	n.Attrs = slices.Clone(a.Attrs)
	n.In = slices.Clone(a.In)
	for _, v := range b.In {
		if v.Def != a && !slices.Contains(n.In, v) {
			n.In = append(n.In, v)
		}
	}
	uses := m.Main.Uses()
	for _, v := range a.Out {
		if v != nil && slices.ContainsFunc(uses[v], func(u ir.Use) bool { return u.Node != b }) {
			n.Out = append(n.Out, v)
		}
	}
	n.Out = append(n.Out, slices.DeleteFunc(slices.Clone(b.Out), func(v *ir.Value) bool { return v == nil })...)
	graph, err := join(a, b, n)
	if err != nil {
		return err
	}
	n.Attrs.Set("graph", graph)
	say(n)
	for _, v := range n.Out {
		v.Def = n
	}
	place(body, a, b, n)
	return nil
}

// say records the types of the outputs on the node. Sizes that an input has refer to that input; others are
// the node's own.
func say(n *ir.Node) {
	axes := map[string]string{}
	for i, v := range n.In {
		for k, d := range v.Type.Shape {
			if s, ok := d.Symbol(); ok && axes[s] == "" {
				axes[s] = peer.InputAxis(i, k)
			}
		}
	}
	n.Syms = nil
	list := make([]string, len(n.Out))
	for i, v := range n.Out {
		t := v.Type
		t.Shape = slices.Clone(t.Shape)
		for k, d := range t.Shape {
			s, ok := d.Symbol()
			switch {
			case ok && axes[s] != "":
				t.Shape[k] = ir.Sym(axes[s])
			case ok && !slices.Contains(n.Syms, s):
				n.Syms = append(n.Syms, s)
			}
		}
		list[i] = t.String()
	}
	n.Attrs.Set(peer.TypesAttr, list)
}

// place replaces a by n, removes b, and moves the inputs of b before n.
func place(body *ir.Region, a, b, n *ir.Node) {
	i, j := slices.Index(body.Nodes, a), slices.Index(body.Nodes, b)
	needed := map[*ir.Node]bool{}
	var need func(v *ir.Value)
	need = func(v *ir.Value) {
		if v == nil || v.Def == nil || v.Def == n || needed[v.Def] {
			return
		}
		needed[v.Def] = true
		for _, x := range v.Def.In {
			need(x)
		}
		for _, in := range v.Def.Regions {
			for _, x := range in.Captures() {
				need(x)
			}
		}
	}
	for _, v := range n.In {
		need(v)
	}
	var before, behind []*ir.Node
	for _, x := range body.Nodes[i+1 : j] {
		if needed[x] {
			before = append(before, x)
		} else {
			behind = append(behind, x)
		}
	}
	body.Nodes = slices.Concat(body.Nodes[:i], before, []*ir.Node{n}, behind, body.Nodes[j+1:])
}
