package pass

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// Fuse replaces groups of nodes by fewer nodes that compute the same up to rounding. It recognizes functions
// that exporters expand into several nodes, multiplies constants into weights, and merges elementwise
// functions into the kernel before them. Groups never extend across regions or peer classes. It removes nodes
// that become unused.
var Fuse = &Pass{Name: "fuse", Run: fuse, After: []*Pass{CSE}}

// rules are tried at each node, by its operator; those of "" are tried at all nodes. The node is the last one
// of its group. A rule returns the replacement for the node's output, or nil if it does not apply. It builds
// new nodes with f.b.
type rules map[string][]func(f *fuser, n *ir.Node) *ir.Value

// phases are the rules in the order in which they benefit from each other.
var phases = []rules{shapeRules, functionRules, normRules, affineRules, attentionRules, epilogueRules}

func fuse(_ *Context, m *ir.Module) error {
	for _, r := range phases {
		r.apply(m)
	}
	return nil
}

// Recognize is the part of [Fuse] that recognizes functions which exporters expand into several nodes. It
// runs on graphs that will be differentiated: the gradient of a function is cheaper than those of its parts.
var Recognize = &Pass{Name: "recognize", Run: recognize, After: []*Pass{Fold}}

func recognize(_ *Context, m *ir.Module) error {
	functionRules.apply(m)
	trainedAttentionRules.apply(m)
	return nil
}

// apply runs one phase.
func (r rules) apply(m *ir.Module) {
	f := &fuser{
		m: m, rules: r, uses: map[*ir.Value]int{}, home: map[*ir.Node]*ir.Region{},
		dead: map[*ir.Node]bool{}, by: map[*ir.Value]*ir.Value{}, origin: map[*ir.Value]string{}, halves: map[*ir.Value]*ir.Value{},
	}
	for v, uses := range m.Main.Uses() {
		f.uses[v] = len(uses)
	}
	f.locate(m.Main.Body)
	f.region(m.Main.Body)
	m.Main.Replace(f.by)
}

// fuser is the state of one phase.
type fuser struct {
	m     *ir.Module
	rules rules
	uses  map[*ir.Value]int // number of uses of a value
	home  map[*ir.Node]*ir.Region
	dead  map[*ir.Node]bool
	by    map[*ir.Value]*ir.Value // replacements of values

	origin map[*ir.Value]string    // the original name of weights that were modified
	halves map[*ir.Value]*ir.Value // of tables of angles

	n *ir.Node // the current node
	b *ir.Builder
}

// locate records the position of every node.
func (f *fuser) locate(r *ir.Region) {
	for _, n := range r.Nodes {
		f.home[n] = r
		for _, in := range n.Regions {
			f.locate(in)
		}
	}
}

func (f *fuser) region(r *ir.Region) {
	var out []*ir.Node
	for _, n := range r.Nodes {
		f.update(n)
		for _, in := range n.Regions {
			f.region(in)
		}
		out = append(out, f.try(n)...)
	}
	for i, v := range r.Results {
		r.Results[i] = f.now(v)
	}
	r.Nodes = slices.DeleteFunc(out, func(n *ir.Node) bool { return f.dead[n] })
}

// now returns the current replacement of v.
func (f *fuser) now(v *ir.Value) *ir.Value {
	for f.by[v] != nil {
		v = f.by[v]
	}
	return v
}

// update sets the inputs of n to their current replacements, whose uses are counted.
func (f *fuser) update(n *ir.Node) {
	for i, v := range n.In {
		n.In[i] = f.now(v)
	}
}

// try returns the replacement of n: n itself, or the nodes of the first rule that applies, to which the rules
// are applied in turn.
func (f *fuser) try(n *ir.Node) []*ir.Node {
	if !replaceable(n) {
		return []*ir.Node{n}
	}
	name := n.Name
	if name == "" {
		name = n.Out[0].Name
	}
	for _, rule := range slices.Concat(f.rules[n.Domain+":"+n.Op], f.rules[""]) {
		f.n = n
		f.b = &ir.Builder{Module: f.m, Infer: op.Inferrer{}, Prefix: name + "_", Class: n.Class, Pos: n.Pos}
		v := rule(f, n)
		if v == nil || f.b.Err() != nil || !v.Type.Equal(n.Out[0].Type) {
			continue
		}
		if nodes, ok := f.replace(n, v); ok {
			var out []*ir.Node
			for _, x := range nodes {
				f.update(x) // one before it may be replaced by now
				out = append(out, f.try(x)...)
			}
			return out
		}
	}
	return []*ir.Node{n}
}

// replaceable reports whether n may be replaced: it has one output and binds no symbols.
func replaceable(n *ir.Node) bool {
	if len(n.Syms) > 0 || len(n.Regions) > 0 || n.Res(0) == nil || n.Out[0].ElemSyms != nil {
		return false
	}
	for _, v := range n.Out[1:] {
		if v != nil {
			return false
		}
	}
	return true
}

// replace replaces n by the nodes that were built; their output is v. It is not ok if v already exists and
// n's output must keep its name.
func (f *fuser) replace(n *ir.Node, v *ir.Value) ([]*ir.Node, bool) {
	old := n.Out[0]
	if !slices.Contains(f.b.Nodes, v.Def) {
		if slices.Contains(f.m.Main.Body.Results, old) {
			return nil, false
		}
		f.by[old] = v
		f.uses[v] += f.uses[old]
		f.uses[old] = 0
		f.dead[n] = true
		f.release(n)
		return nil, true
	}
	elems := old.Elems
	op.TakeOver(f.b, n, []*ir.Value{v})
	old.Elems = elems
	old.Def.Name = n.Name
	for _, x := range f.b.Nodes {
		f.home[x] = f.home[n]
		for _, in := range x.In {
			f.uses[in]++
		}
	}
	f.dead[n] = true
	f.release(n)
	return f.b.Nodes, true
}

// release detaches n from its inputs, and removes nodes that only n has used.
func (f *fuser) release(n *ir.Node) {
	for _, v := range n.In {
		if v == nil {
			continue
		}
		f.uses[v]--
		d := v.Def
		if d == nil || f.uses[v] > 0 || f.dead[d] || len(d.Regions) > 0 || op.Lookup(d).Effect || f.anyRead(d) {
			continue
		}
		f.dead[d] = true
		f.release(d)
	}
}

func (f *fuser) anyRead(n *ir.Node) bool {
	return slices.ContainsFunc(n.Out, func(v *ir.Value) bool { return v != nil && f.uses[v] > 0 })
}
