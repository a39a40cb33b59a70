package pass

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/grad"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/training"
)

// Gradient replaces ONNX's operator of that name by nodes that compute the derivative: a copy of the nodes
// between xs and y, at the values of the operator's inputs, and the gradient of the copy. [CSE] merges nodes
// of the copy with the originals.
var Gradient = &Pass{Name: "gradient", Run: gradient, After: []*Pass{Infer}}

func gradient(_ *Context, m *ir.Module) error { return gradientRegion(m, m.Main.Body) }

func gradientRegion(m *ir.Module, r *ir.Region) error {
	var out []*ir.Node
	for _, n := range r.Nodes {
		for _, in := range live(n) {
			if err := gradientRegion(m, in); err != nil {
				return err
			}
		}
		if op.Lookup(n) != training.Gradient {
			out = append(out, n)
			continue
		}
		nodes, err := derivative(m, &ir.Region{Params: r.Params, Nodes: out}, n)
		if err != nil {
			return fmt.Errorf("%s: %w", n, err)
		}
		out = append(out, nodes...)
	}
	r.Nodes = out
	return nil
}

// derivative returns nodes that compute the outputs of n, a Gradient of values that r computes before it.
func derivative(m *ir.Module, r *ir.Region, n *ir.Node) ([]*ir.Node, error) {
	from, y, err := ends(m, r, n)
	if err != nil {
		return nil, err
	}
	part := ir.CloneRegion(m, &ir.Region{Params: from, Nodes: between(r, from, y), Results: []*ir.Value{y}}, n.Name+"/")
	b := &ir.Builder{Module: m, Infer: op.Inferrer{}, Prefix: n.Name + "/", Class: n.Class, Pos: n.Pos}
	at := map[*ir.Value]*ir.Value{}
	xs := make([]*ir.Value, len(n.In))
	for i, v := range n.In {
		xs[i] = b.Op("Identity", v)
		at[part.Params[i]] = xs[i]
	}
	part.Replace(at)
	b.Nodes = append(b.Nodes, part.Nodes...)
	dy := op.Fill(b, part.Results[0], 1)
	if err := b.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", m.File, err)
	}
	part.Nodes = b.Nodes
	dxs, err := grad.Pullback(m, part, map[*ir.Value]*ir.Value{part.Results[0]: dy}, xs[:len(n.Out)])
	if err != nil {
		return nil, err
	}
	b.Nodes = part.Nodes
	op.TakeOver(b, n, dxs)
	return b.Nodes, b.Err()
}

// ends returns the values that a Gradient names: those that it derives by or keeps fixed, and the one that it derives.
func ends(m *ir.Module, r *ir.Region, n *ir.Node) (from []*ir.Value, y *ir.Value, err error) {
	for i, name := range append(slices.Clone(n.Strs("xs")), n.Strs("zs")...) {
		x := named(m, r, name)
		if x == nil {
			return nil, nil, fmt.Errorf("%s: nothing before it is called %q", m.File, name)
		}
		if got, want := n.In[i].Type, x.Type; got.Elem != want.Elem || !ir.SameShape(got.Shape, want.Shape) {
			return nil, nil, fmt.Errorf("%s: input %q is %s, want the type of %q, %s", m.File, n.In[i].Name, got, name, want)
		}
		from = append(from, x)
	}
	if y = named(m, r, n.Str("y")); y == nil {
		return nil, nil, fmt.Errorf("%s: nothing before it is called %q", m.File, n.Str("y"))
	}
	return from, y, nil
}

// named returns the value of r with the given name, without those of inner regions: a parameter, a state, an
// output of a node, or a constant that a node reads.
func named(m *ir.Module, r *ir.Region, name string) *ir.Value {
	vs := slices.Clone(r.Params)
	for _, s := range m.Main.State {
		vs = append(vs, s.Param)
	}
	for _, n := range r.Nodes {
		vs = append(vs, n.Out...)
	}
	for _, n := range r.Nodes {
		for _, v := range n.In {
			if v != nil && v.IsConst() {
				vs = append(vs, v)
			}
		}
	}
	if i := slices.IndexFunc(vs, func(v *ir.Value) bool { return v != nil && v.Name == name }); i >= 0 {
		return vs[i]
	}
	return nil
}

// between returns the nodes that compute y from the given values.
func between(r *ir.Region, from []*ir.Value, y *ir.Value) []*ir.Node {
	need := map[*ir.Value]bool{y: true}
	for _, v := range from {
		delete(need, v)
	}
	var out []*ir.Node
	for _, n := range slices.Backward(r.Nodes) {
		if !slices.ContainsFunc(n.Out, func(v *ir.Value) bool { return need[v] }) {
			continue
		}
		reads := slices.Clone(n.In)
		for _, in := range n.Regions {
			reads = append(reads, in.Captures()...)
		}
		for _, v := range reads {
			need[v] = v != nil && !slices.Contains(from, v)
		}
		out = append(out, n)
	}
	slices.Reverse(out)
	return out
}
