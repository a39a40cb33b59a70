package pass

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/conv"
)

// Join makes convolutions write their columns of a Concat directly. The other operands of the Concat are
// copied to their columns.
var Join = &Pass{Name: "join", Run: join, After: []*Pass{Layout, Winograd}}

func join(_ *Context, m *ir.Module) error {
	j := &joiner{m: m, uses: m.Main.Uses(), by: map[*ir.Value]*ir.Value{}}
	j.region(m.Main.Body)
	m.Main.Replace(j.by)
	return nil
}

// joiner rewrites regions.
type joiner struct {
	m    *ir.Module
	uses map[*ir.Value][]ir.Use
	by   map[*ir.Value]*ir.Value // replacements of Concats
}

// column is an operand of a Concat and its position.
type column struct {
	value *ir.Value
	at    int
}

func (j *joiner) region(r *ir.Region) {
	var out []*ir.Node
	into := map[*ir.Node]column{}     // convolutions that will write columns
	joins := map[*ir.Node]*ir.Value{} // by convolution: the Concat's result
	for _, n := range r.Nodes {
		for _, in := range n.Regions {
			j.region(in)
		}
		for _, c := range j.columns(r, n) {
			if j.writes(r, n, c.value) {
				into[c.value.Def], joins[c.value.Def] = c, n.Out[0]
			}
		}
	}
	done := map[*ir.Value]*ir.Value{} // the joins as written so far
	for _, n := range r.Nodes {
		c, ok := into[n]
		switch {
		case ok:
			y := j.convolution(n, c.at, joins[n], done[joins[n]])
			done[joins[n]] = y
			out = append(out, y.Def)
		case n.Is("Concat") && done[n.Out[0]] != nil:
			out = append(out, j.rest(r, n, done[n.Out[0]], into)...)
		default:
			out = append(out, n)
		}
	}
	r.Nodes = out
}

// columns returns the operands of a Concat along the last axis. There are none if the other sizes of an
// operand may differ from those of the result: only the Concat checks them when it runs.
func (j *joiner) columns(r *ir.Region, n *ir.Node) []column {
	if !n.Is("Concat") || !replaceable(n) || slices.Contains(r.Results, n.Out[0]) {
		return nil
	}
	rank := len(n.Out[0].Type.Shape)
	if axis, err := op.Axis(n.Int("axis"), rank); err != nil || axis != rank-1 {
		return nil
	}
	var cs []column
	at := 0
	for _, v := range n.In {
		shape, rows := v.Type.Shape, n.Out[0].Type.Shape[:rank-1]
		size, ok := shape[rank-1].Const()
		if !ok || !ir.SameShape(shape[:rank-1], rows) {
			return nil
		}
		cs = append(cs, column{v, at})
		at += size
	}
	return cs
}

// writes reports whether a convolution defines v and the Concat n is its only reader.
func (j *joiner) writes(r *ir.Region, n *ir.Node, v *ir.Value) bool {
	return v.Def != nil && conv.Columns(v.Def) && v.Def.Class == n.Class && len(j.uses[v]) == 1 && slices.Contains(r.Nodes, v.Def)
}

// convolution returns the join after n has written its columns. Some columns of it may already be written.
func (j *joiner) convolution(n *ir.Node, at int, join, there *ir.Value) *ir.Value {
	shape := join.Type.Shape
	width, _ := shape[len(shape)-1].Const()
	c := &ir.Node{Op: "ConvLastInto", Domain: op.Own, Attrs: slices.Clone(n.Attrs), In: slices.Clone(n.In), Class: n.Class, Pos: n.Pos}
	for len(c.In) < inInto {
		c.In = append(c.In, nil)
	}
	c.In = c.In[:inInto]
	if there != nil {
		c.In = append(c.In, there)
	}
	c.Attrs.Set("width", int64(width))
	c.Attrs.Set("at", int64(at))
	return j.node(c, n.Name, join)
}

// rest copies the operands of the Concat n that no convolution writes.
func (j *joiner) rest(r *ir.Region, n *ir.Node, y *ir.Value, into map[*ir.Node]column) []*ir.Node {
	var out []*ir.Node
	for _, c := range j.columns(r, n) {
		if w, ok := into[c.value.Def]; ok && w == c {
			continue
		}
		p := &ir.Node{Op: "ColumnsInto", Domain: op.Own, In: []*ir.Value{c.value, y}, Class: n.Class, Pos: n.Pos}
		p.Attrs.Set("at", int64(c.at))
		y = j.node(p, n.Name, n.Out[0])
		out = append(out, p)
	}
	j.by[n.Out[0]] = y
	return out
}

// node completes a node that returns a join as written so far.
func (j *joiner) node(n *ir.Node, name string, join *ir.Value) *ir.Value {
	n.Version = 1
	n.Name = j.m.FreshName(name + "_into")
	n.Out = []*ir.Value{{Name: n.Name, Def: n, Type: join.Type}}
	return n.Out[0]
}
