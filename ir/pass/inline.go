package pass

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/ir"
)

// Inline replaces calls of the module's own functions by their bodies, from the inside out.
var Inline = &Pass{Name: "inline", Run: inline}

func inline(_ *Context, m *ir.Module) error {
	if err := inlineRegion(m, m.Main.Body); err != nil {
		return err
	}
	m.Funcs = nil
	return nil
}

func inlineRegion(m *ir.Module, r *ir.Region) error {
	var out []*ir.Node
	for _, n := range r.Nodes {
		for _, in := range n.Regions {
			if err := inlineRegion(m, in); err != nil {
				return err
			}
		}
		if !n.Local {
			out = append(out, n)
			continue
		}
		body, err := inlined(m, n)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", m.File, n, err)
		}
		inner := &ir.Region{Nodes: body}
		if err := inlineRegion(m, inner); err != nil {
			return err
		}
		out = append(out, inner.Nodes...)
	}
	r.Nodes = out
	return nil
}

// inlined returns the body of the function that n calls, with n's inputs, outputs and attributes substituted.
// Nodes with a class or a position keep it.
func inlined(m *ir.Module, n *ir.Node) ([]*ir.Node, error) {
	f := find(m, n)
	if f == nil {
		return nil, fmt.Errorf("no such function in the module")
	}
	if len(n.In) > len(f.Body.Params) || len(n.Out) > len(f.Body.Results) {
		return nil, fmt.Errorf("has %d inputs and %d outputs, want at most %d and %d", len(n.In), len(n.Out), len(f.Body.Params), len(f.Body.Results))
	}
	c := f.Body
	if !ownNames(m, f, n) {
		c = ir.CloneRegion(m, f.Body, n.Name+"/")
	}
	bind(c, n, f.Defaults)
	nodes := c.Nodes
	for i, v := range n.Out {
		if v == nil {
			continue
		}
		if x := c.Results[i]; slices.Contains(n.Out, x) || !take(c, x, v) {
			nodes = append(nodes, handOver(m, x, v, n))
		}
	}
	return nodes, nil
}

// bind substitutes the inputs and the attributes of a call in the body of the function.
func bind(body *ir.Region, call *ir.Node, defaults ir.Attrs) {
	by := map[*ir.Value]*ir.Value{}
	for i, p := range body.Params {
		by[p] = call.Arg(i)
	}
	body.Walk(func(x *ir.Node) {
		for i, v := range x.In {
			if to, ok := by[v]; ok { // Replace would keep a parameter without argument
				x.In[i] = to
			}
		}
		x.Attrs = bindAttrs(x.Attrs, call.Attrs, defaults)
		if x.Class == "" {
			x.Class = call.Class
		}
		if x.Pos == "" {
			x.Pos = call.Pos
		}
	})
	body.Replace(by)
}

// ownNames reports whether n is the only call of a function in which all values already have prefixed names,
// so that it needs no copy.
func ownNames(m *ir.Module, f *ir.Func, n *ir.Node) bool {
	own := true
	f.Values(func(v *ir.Value) { own = own && strings.HasPrefix(v.Name, n.Name+"/") })
	if !own {
		return false
	}
	calls := 0
	for _, g := range m.AllFuncs() {
		g.Body.Walk(func(x *ir.Node) {
			if x.Local && find(m, x) == f {
				calls++
			}
		})
	}
	return calls == 1
}

// take makes the node that defines x define v instead, if it is a node of the body. It reports whether it
// did.
func take(body *ir.Region, x, v *ir.Value) bool {
	if x.Def == nil || !slices.Contains(x.Def.Out, x) || !slices.Contains(body.Nodes, x.Def) {
		return false
	}
	x.Def.Out[slices.Index(x.Def.Out, x)] = v
	v.Def = x.Def
	if v.Type.Equal(ir.Type{}) {
		v.Type = x.Type
	}
	body.Replace(map[*ir.Value]*ir.Value{x: v})
	return true
}

// handOver returns a node that defines v, a result of a call, as a copy of x.
func handOver(m *ir.Module, x, v *ir.Value, call *ir.Node) *ir.Node {
	n := &ir.Node{Op: "Identity", Name: m.FreshName(v.Name + "_is"), In: []*ir.Value{x}, Out: []*ir.Value{v}, Class: call.Class, Pos: call.Pos}
	v.Def = n
	return n
}

// find returns the function that n calls, or nil if the module has none of that name.
func find(m *ir.Module, n *ir.Node) *ir.Func {
	for _, f := range m.Funcs {
		if f.Name == n.Op && f.Domain == n.Domain && f.Overload == n.Over {
			return f
		}
	}
	return nil
}

// bindAttrs replaces references to the function's attributes by the caller's values, or by their defaults. An
// attribute with neither is removed.
func bindAttrs(attrs, caller, defaults ir.Attrs) ir.Attrs {
	var out ir.Attrs
	for _, a := range attrs {
		ref, ok := a.Value.(ir.Ref)
		if !ok {
			out.Set(a.Name, a.Value)
			continue
		}
		v := caller.Lookup(string(ref))
		if v == nil {
			v = defaults.Lookup(string(ref))
		}
		if v != nil {
			out.Set(a.Name, v)
		}
	}
	return out
}
