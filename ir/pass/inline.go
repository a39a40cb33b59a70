package pass

import (
	"fmt"
	"strings"

	"github.com/bbgen/bbgen/ir"
)

// Inline replaces calls of the module's own functions by their bodies, from the inside out.
var Inline = &Pass{Name: "inline", Run: inline}

func inline(_ *Context, m *ir.Module) error {
	if err := m.CheckCalls(); err != nil {
		return fmt.Errorf("%s: %w", m.File, err)
	}
	in := newInliner(m)
	if err := in.region(m.Main.Body); err != nil {
		return err
	}
	m.Funcs = nil
	return nil
}

// inliner replaces the calls in a module, whose depth is bounded.
type inliner struct {
	m     *ir.Module
	funcs ir.Callees
	calls map[*ir.Func]int // in the module as it was
}

func newInliner(m *ir.Module) *inliner {
	in := &inliner{m, m.Callees(), map[*ir.Func]int{}}
	for _, f := range m.AllFuncs() {
		f.Body.Walk(func(n *ir.Node) {
			if g := in.funcs.Of(n); g != nil {
				in.calls[g]++
			}
		})
	}
	return in
}

func (in *inliner) region(r *ir.Region) error {
	var out []*ir.Node
	for _, n := range r.Nodes {
		for _, x := range n.Regions {
			if err := in.region(x); err != nil {
				return err
			}
		}
		if !n.Local {
			out = append(out, n)
			continue
		}
		body, err := in.body(n)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", in.m.File, n, err)
		}
		inner := &ir.Region{Nodes: body}
		if err := in.region(inner); err != nil {
			return err
		}
		out = append(out, inner.Nodes...)
	}
	r.Nodes = out
	return nil
}

// body returns the body of the function that n calls, with n's inputs, outputs and attributes substituted.
// Nodes with a class or a position keep it.
func (in *inliner) body(n *ir.Node) ([]*ir.Node, error) {
	f := in.funcs.Of(n)
	if f == nil {
		return nil, fmt.Errorf("no such function in the module")
	}
	if len(n.In) > len(f.Body.Params) || len(n.Out) > len(f.Body.Results) {
		return nil, fmt.Errorf("has %d inputs and %d outputs, want at most %d and %d", len(n.In), len(n.Out), len(f.Body.Params), len(f.Body.Results))
	}
	c := f.Body
	if in.calls[f] != 1 || !ownNames(f, n) {
		c = ir.CloneRegion(in.m, f.Body, n.Name+"/")
	}
	bind(c, n, f.Defaults)
	return append(c.Nodes, in.outputs(c, n)...), nil
}

// outputs makes the nodes of a body define the outputs of the call n. It returns more nodes, for those outputs that no node
// can define.
func (in *inliner) outputs(c *ir.Region, n *ir.Node) (more []*ir.Node) {
	at := map[*ir.Value]int{} // the positions of values in the outputs of the nodes that define them
	for _, x := range c.Nodes {
		for i, v := range x.Out {
			if v != nil { // neither is a result that is an omitted input
				at[v] = i
			}
		}
	}
	taken := map[*ir.Value]*ir.Value{}
	for i, v := range n.Out {
		if v == nil {
			continue
		}
		x := c.Results[i]
		to, again := taken[x]
		k, own := at[x]
		switch {
		case again:
			more = append(more, handOver(in.m, to, v, n))
		case own:
			take(x, v, k)
			taken[x] = v
		default:
			more = append(more, handOver(in.m, x, v, n))
		}
	}
	c.Replace(taken)
	return more
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

// ownNames reports whether all values of f have names that begin with that of its call n already. If n is the only call, it
// needs no copy.
func ownNames(f *ir.Func, n *ir.Node) bool {
	own := true
	f.Values(func(v *ir.Value) { own = own && strings.HasPrefix(v.Name, n.Name+"/") })
	return own
}

// take makes the node that defines x as its output i define v instead.
func take(x, v *ir.Value, i int) {
	x.Def.Out[i] = v
	v.Def = x.Def
	if v.Type.Equal(ir.Type{}) {
		v.Type = x.Type
	}
}

// handOver returns a node that defines v, a result of a call, as a copy of x.
func handOver(m *ir.Module, x, v *ir.Value, call *ir.Node) *ir.Node {
	n := &ir.Node{Op: "Identity", Name: m.FreshName(v.Name + "_is"), In: []*ir.Value{x}, Out: []*ir.Value{v}, Class: call.Class, Pos: call.Pos}
	v.Def = n
	return n
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
