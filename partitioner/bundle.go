package partitioner

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// unbundle replaces bundles by their values. A Send of a bundle becomes a Send for each of its values, p.0,
// p.1 and so on. As these are in one block, they travel in one envelope, of one execution.
func (c *cutter) unbundle() {
	u := &unbundler{cutter: c, parts: map[*ir.Value][]*ir.Value{}, by: map[*ir.Value]*ir.Value{}}
	u.params()
	c.m.Main.Body.Rewrite(func(n *ir.Node) []*ir.Node {
		for i, v := range n.In {
			if to := u.by[v]; to != nil {
				n.In[i] = to
			}
		}
		return u.node(n)
	})
	c.m.Main.Replace(u.by)
	u.unread()
}

type unbundler struct {
	*cutter
	parts map[*ir.Value][]*ir.Value // the values of each bundle
	by    map[*ir.Value]*ir.Value
}

// params replaces an input that is a bundle by an input for each of its values.
func (u *unbundler) params() {
	body := u.m.Main.Body
	var params []*ir.Value
	for _, p := range body.Params {
		ts, err := peer.BundleParts(p.Type)
		if err != nil {
			params = append(params, p)
			continue
		}
		for i, t := range ts {
			part := &ir.Value{Name: u.m.FreshName(fmt.Sprintf("%s.%d", p.Name, i)), Type: t}
			u.parts[p] = append(u.parts[p], part)
		}
		params = append(params, u.parts[p]...)
	}
	body.Params = params
}

func (u *unbundler) node(n *ir.Node) []*ir.Node {
	o := op.PeerOf(n)
	switch {
	case o == nil:
	case o.Packs:
		u.parts[n.Out[0]] = slices.Clone(n.In)
		return nil
	case o.Unpacks && len(u.parts[n.In[0]]) < len(n.Out):
		u.failf(n, "takes %q apart, which neither a Bundle nor an edge has made", n.In[0].Name)
		return nil
	case o.Unpacks && u.parts[n.In[0]] != nil:
		for i, v := range n.Out {
			if parts := u.parts[n.In[0]]; v != nil && i < len(parts) {
				u.by[v] = parts[i]
			}
		}
		return nil
	case o.Kind == op.KindSend && u.parts[n.In[peer.SentValue]] != nil:
		return u.each(n, u.parts[n.In[peer.SentValue]])
	case o.Kind == op.KindRecv && u.types(n) != nil:
		return u.each(n, nil)
	}
	return []*ir.Node{n}
}

// types returns the types in the bundle that n returns, or nil if it returns none.
func (u *unbundler) types(n *ir.Node) []ir.Type {
	ts, err := peer.BundleParts(n.Out[0].Type)
	if err != nil {
		return nil
	}
	return ts
}

// each makes a node like n for each value of a bundle. The first one has the sender as an output.
func (u *unbundler) each(n *ir.Node, parts []*ir.Value) []*ir.Node {
	var nodes []*ir.Node
	var outs []*ir.Value
	for i, t := range u.types(n) {
		one := *n
		one.In, one.Attrs, one.Syms = slices.Clone(n.In), slices.Clone(n.Attrs), nil
		one.Name = fmt.Sprintf("%s.%d", n.Name, i)
		one.Attrs.Set("port", fmt.Sprintf("%s.%d", n.Str("port"), i))
		if parts != nil {
			one.In[peer.SentValue] = parts[i]
			u.together[&one], u.whole[&one] = parts, n
			t = parts[i].Type
		}
		for _, d := range t.Shape {
			if s, ok := d.Symbol(); ok && slices.Contains(n.Syms, s) {
				one.Syms = append(one.Syms, s)
			}
		}
		out := &ir.Value{Name: u.m.FreshName(fmt.Sprintf("%s.%d", n.Out[0].Name, i)), Type: t, Def: &one}
		one.Out = append([]*ir.Value{out}, make([]*ir.Value, len(n.Out)-1)...)
		if from := n.Res(1); i == 0 && from != nil {
			one.Out[1] = from
			from.Def = &one
		}
		u.root[&one] = n.Class
		nodes, outs = append(nodes, &one), append(outs, out)
	}
	u.parts[n.Out[0]] = outs
	return nodes
}

// unread checks that bundles are only read by nodes that unpack them.
func (u *unbundler) unread() {
	for v, uses := range u.m.Main.Uses() {
		if u.parts[v] == nil {
			continue
		}
		if use := uses[0]; use.Node != nil {
			u.failf(use.Node, "reads the bundle %q: take it apart with Unbundle first", v.Name)
		} else {
			u.errorf("the bundle %q is an output: take it apart with Unbundle first", v.Name)
		}
	}
}
