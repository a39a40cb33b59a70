package pass

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// CSE merges nodes that compute the same, and constants of the same content. It does not change nodes with
// effects, random draws or regions.
var CSE = &Pass{Name: "cse", Run: cse, After: []*Pass{Fold}}

func cse(_ *Context, m *ir.Module) error {
	c := &merger{m: m, seed: maphash.MakeSeed(), by: map[*ir.Value]*ir.Value{}, consts: map[constKey][]*ir.Value{}, ids: map[*ir.Value]int{}}
	c.region(m.Main.Body, nil)
	m.Main.Replace(c.by)
	return nil
}

// merger finds the values of a module that are equal.
type merger struct {
	m      *ir.Module
	seed   maphash.Seed
	by     map[*ir.Value]*ir.Value  // replacements of values
	consts map[constKey][]*ir.Value // the first constant of each content
	ids    map[*ir.Value]int        // numbers of values in keys
}

// scope holds the nodes seen in a region and in the enclosing ones.
type scope struct {
	seen  map[string]*ir.Node
	outer *scope
}

func (s *scope) lookup(k string) *ir.Node {
	for ; s != nil; s = s.outer {
		if n := s.seen[k]; n != nil {
			return n
		}
	}
	return nil
}

func (c *merger) region(r *ir.Region, outer *scope) {
	s := &scope{map[string]*ir.Node{}, outer}
	var out []*ir.Node
	for _, n := range r.Nodes {
		for i, v := range n.In {
			n.In[i] = c.same(v)
		}
		for _, in := range n.Regions {
			c.region(in, s)
		}
		if o := op.Lookup(n); o.Effect || o.Random || len(n.Regions) > 0 || !c.mergeable(n) {
			out = append(out, n)
			continue
		}
		k := c.key(n)
		if first := s.lookup(k); first != nil && covers(first, n) {
			for i, v := range n.Out {
				if v != nil {
					c.by[v] = first.Out[i]
				}
			}
			continue
		}
		s.seen[k] = n
		out = append(out, n)
	}
	r.Nodes = out
}

// mergeable reports whether n's outputs may be replaced. Results of the function may not, and symbols that n
// binds would be lost.
func (c *merger) mergeable(n *ir.Node) bool {
	if len(n.Syms) > 0 {
		return false
	}
	for _, v := range n.Out {
		if v != nil && (v.ElemSyms != nil || slices.Contains(c.m.Main.Body.Results, v)) {
			return false
		}
	}
	return true
}

// covers reports whether first defines every output that n defines.
func covers(first, n *ir.Node) bool {
	for i, v := range n.Out {
		if v != nil && first.Res(i) == nil {
			return false
		}
	}
	return true
}

// same returns the value that replaces v, or v.
func (c *merger) same(v *ir.Value) *ir.Value {
	if v == nil {
		return nil
	}
	if to := c.by[v]; to != nil {
		return to
	}
	if v.Const == nil || v.Const.DType == tensor.String {
		return v
	}
	k := constKey{v.Type.String(), maphash.Bytes(c.seed, v.Const.Bytes())}
	for _, first := range c.consts[k] {
		if v == first || bytes.Equal(v.Const.Bytes(), first.Const.Bytes()) {
			c.by[v] = first
			return first
		}
	}
	c.consts[k] = append(c.consts[k], v)
	c.by[v] = v // it is not hashed again
	return v
}

// constKey is equal for constants of the same content, and rarely for others. The hash differs between runs of the
// compiler, but its collisions change nothing.
type constKey struct {
	typ  string
	hash uint64
}

// key returns a key that is equal for nodes which compute the same.
func (c *merger) key(n *ir.Node) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%s@%s(", n.Domain, n.Op, n.Class)
	for _, v := range n.In {
		fmt.Fprintf(&b, "%d,", c.id(v))
	}
	return b.String() + attrKey(n)
}

// attrKey returns a key that is equal for nodes with equal attributes.
func attrKey(n *ir.Node) string {
	var b strings.Builder
	for _, a := range n.Attrs {
		if t, ok := a.Value.(*tensor.Tensor); ok {
			fmt.Fprintf(&b, "%s=%p;", a.Name, t)
			continue
		}
		fmt.Fprintf(&b, "%s=%#v;", a.Name, a.Value)
	}
	return b.String()
}

func (c *merger) id(v *ir.Value) int {
	if v == nil {
		return 0
	}
	if _, ok := c.ids[v]; !ok {
		c.ids[v] = len(c.ids) + 1
	}
	return c.ids[v]
}
