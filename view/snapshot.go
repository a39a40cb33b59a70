package view

import (
	"cmp"
	"slices"

	"github.com/bbgen/bbgen/ir"
)

// snapshot is a graph after one stage. The bodies of functions and regions are shown at their calls, as
// groups.
type snapshot struct {
	*collector
	m       *ir.Module
	stage   *Stage
	visited int // nodes and calls
}

// scope holds the values of one function call.
type scope struct {
	prefix string // of the values' names
	class  string // default class of nodes
	depth  int
	ids    map[*ir.Value]int
}

// take records the main function.
func (s *snapshot) take() {
	f := s.m.Main
	sc := &scope{ids: map[*ir.Value]int{}}
	s.stage.Inputs, s.stage.Outputs = s.ids(f.Body.Params, sc), s.ids(f.Body.Results, sc)
	for _, x := range f.State {
		s.stage.States = append(s.stage.States, State{string(x.Kind), s.id(x.Param, sc), s.id(x.Next, sc)})
	}
	s.region(f.Body, sc, -1)
}

// id returns the index of a value, or -1.
func (s *snapshot) id(v *ir.Value, sc *scope) int {
	if v == nil {
		return -1
	}
	i, ok := sc.ids[v]
	if !ok {
		i = s.value(v, sc.prefix)
		sc.ids[v] = i
	}
	return i
}

func (s *snapshot) ids(list []*ir.Value, sc *scope) []int {
	out := make([]int, len(list))
	for i, v := range list {
		out[i] = s.id(v, sc)
	}
	return out
}

// region records the nodes of a region in a group.
func (s *snapshot) region(r *ir.Region, sc *scope, group int) {
	for _, n := range r.Nodes {
		if s.visited++; s.visited > maxNodes {
			s.stage.Truncated = true
			return
		}
		at := s.place(n, group)
		if f := s.function(n); f != nil && sc.depth < maxDepth {
			s.call(n, f, sc, at)
			continue
		}
		s.plain(n, sc, at)
	}
}

// function returns the function of the module that n calls, or nil.
func (s *snapshot) function(n *ir.Node) *ir.Func {
	if !n.Local {
		return nil
	}
	i := slices.IndexFunc(s.m.Funcs, func(f *ir.Func) bool { return f.Name == n.Op && f.Domain == n.Domain && f.Overload == n.Over })
	if i < 0 {
		return nil
	}
	return s.m.Funcs[i]
}

// plain records a node and its regions.
func (s *snapshot) plain(n *ir.Node, sc *scope, group int) {
	x := &Node{Op: opName(n), Name: clip(sc.prefix + label(n)), Class: cmp.Or(n.Class, sc.class), Pos: clip(n.Pos)}
	if len(n.Regions) > 0 {
		group = s.group(Group{Name: label(n), Parent: group, Kind: "region", Of: n.Op})
	}
	for _, r := range n.Regions {
		s.region(r, sc, s.group(Group{Name: r.Name, Parent: group, Kind: "region"}))
		x.Body = append(x.Body, s.ids(r.Results, sc)...)
	}
	x.Group, x.In, x.Out = group, s.ids(n.In, sc), s.ids(n.Out, sc)
	for _, a := range n.Attrs {
		x.Attrs = append(x.Attrs, [2]string{clip(a.Name), clip(ir.PrintAttr(a.Value))})
	}
	s.stage.Nodes = append(s.stage.Nodes, s.node(x, n))
}

// call records the body of a function in place of its call. Arguments and results are the caller's values.
func (s *snapshot) call(n *ir.Node, f *ir.Func, sc *scope, group int) {
	group = s.group(Group{Name: label(n), Parent: group, Kind: "function", Of: f.Name})
	inner := &scope{prefix: sc.prefix + label(n) + "/", class: cmp.Or(n.Class, sc.class), depth: sc.depth + 1, ids: map[*ir.Value]int{}}
	for i, p := range f.Body.Params {
		if v := n.Arg(i); v != nil {
			inner.ids[p] = s.id(v, sc)
		}
	}
	copies := map[*ir.Value]*ir.Value{} // outputs that are copies of a value
	for i, r := range f.Body.Results {
		out := n.Res(i)
		if out == nil {
			continue
		}
		if _, taken := inner.ids[r]; taken || r.Def == nil {
			copies[out] = r
			continue
		}
		inner.ids[r] = s.id(out, sc)
	}
	s.region(f.Body, inner, group)
	for _, out := range n.Out {
		if r := copies[out]; r != nil {
			x := &Node{Op: "Identity", Name: clip(sc.prefix + out.Name), Group: group, In: []int{s.id(r, inner)}, Out: []int{s.id(out, sc)}}
			s.stage.Nodes = append(s.stage.Nodes, s.node(x, &ir.Node{}))
		}
	}
}

// label returns the name of a node, or that of its first output.
func label(n *ir.Node) string {
	if y := n.Res(0); n.Name == "" && y != nil {
		return y.Name
	}
	return n.Name
}

// opName returns the name of an operator with its domain.
func opName(n *ir.Node) string {
	if n.Domain == "" {
		return clip(n.Op)
	}
	return clip(n.Domain + ":" + n.Op)
}
