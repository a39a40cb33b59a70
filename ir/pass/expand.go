package pass

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// Expand replaces operators by their definitions in terms of others, and inserts casts around operators that
// compute in float32 if their data have a smaller type.
var Expand = &Pass{Name: "expand", Run: expand, After: []*Pass{Infer}}

func expand(_ *Context, m *ir.Module) error { return expandRegion(m, m.Main.Body) }

func expandRegion(m *ir.Module, r *ir.Region) error {
	var out []*ir.Node
	for _, n := range r.Nodes {
		for _, in := range live(n) {
			if err := expandRegion(m, in); err != nil {
				return err
			}
		}
		nodes, err := expandNode(m, n)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", m.File, n, err)
		}
		out = append(out, nodes...)
	}
	r.Nodes = out
	return nil
}

// live returns the regions of n that may run.
func live(n *ir.Node) []*ir.Region {
	if o := op.Lookup(n); o.Live != nil {
		return o.Live(n)
	}
	return n.Regions
}

// expandNode returns the replacement for n: n itself, or nodes of which the last ones define n's outputs.
func expandNode(m *ir.Module, n *ir.Node) ([]*ir.Node, error) {
	o := op.Lookup(n)
	var nodes []*ir.Node
	var err error
	switch {
	case o.Defined(n):
		nodes, err = defined(m, n, o.Expand)
	case o.Widen && op.Small(n):
		nodes, err = defined(m, n, func(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) { return op.Widened(b, n), nil })
	default:
		return []*ir.Node{n}, nil
	}
	if err != nil {
		return nil, err
	}
	var out []*ir.Node
	for _, x := range nodes { // the nodes of a definition may have definitions, too
		more, err := expandNode(m, x)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// defined returns the nodes of a definition of n, which then define its outputs.
func defined(m *ir.Module, n *ir.Node, definition func(b *ir.Builder, n *ir.Node) ([]*ir.Value, error)) ([]*ir.Node, error) {
	b := builder(m, n)
	vs, err := definition(b, n)
	if err == nil {
		err = b.Err()
	}
	if err != nil {
		return nil, err
	}
	op.TakeOver(b, n, vs)
	return b.Nodes, b.Err()
}

// builder returns a builder for nodes that replace or precede n.
func builder(m *ir.Module, n *ir.Node) *ir.Builder {
	return &ir.Builder{Module: m, Infer: op.Inferrer{}, Prefix: n.Name + "_", Class: n.Class, Pos: n.Pos}
}
