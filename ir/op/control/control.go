package control

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// RankError reports a variable that would need two ranks. B is negative if the second rank is arbitrary.
type RankError struct{ A, B int }

// Error returns the message with the ranks.
func (e RankError) Error() string {
	if e.B < 0 {
		return fmt.Sprintf("has rank %d and any rank", e.A)
	}
	return fmt.Sprintf("has rank %d and rank %d", e.A, e.B)
}

// sameKind returns an error if values of types a and b cannot be stored in one variable because their kind,
// element type or rank differs.
func sameKind(a, b ir.Type) error {
	switch {
	case a.Kind == ir.AnyRank && b.Kind == ir.Tensor || a.Kind == ir.Tensor && b.Kind == ir.AnyRank:
		return RankError{max(len(a.Shape), len(b.Shape)), -1}
	case a.Kind != b.Kind || a.Elem != b.Elem || a.Name != b.Name:
		return fmt.Errorf("is %s and %s", a, b)
	case a.Kind == ir.Tensor && (!a.Ranked || !b.Ranked):
		return fmt.Errorf("has no known rank")
	case a.Kind == ir.Tensor && len(a.Shape) != len(b.Shape):
		return RankError{len(a.Shape), len(b.Shape)}
	case (a.Of == nil) != (b.Of == nil):
		return fmt.Errorf("is %s and %s", a, b)
	case a.Of != nil && (a.Of.Kind != b.Of.Kind || a.Of.Elem != b.Of.Elem):
		return fmt.Errorf("is %s and %s", a, b)
	}
	return nil
}

// carry infers the types of values that a body takes and returns. They start with the types of the initial
// values. An axis that is returned with another size becomes a symbol that follows the value; own are these
// symbols.
//
// When the node is inferred again, axes that were symbols remain symbols, so that nested loops do not start
// over each time.
func carry(c *op.Infer, body *ir.Region, params, results, initial []*ir.Value) (own map[string]bool, err error) {
	own = map[string]bool{}
	for i, p := range params {
		p.Type = begin(c, p.Type, initial[i].Type, own)
	}
	for {
		if err := c.Inner(body); err != nil {
			return nil, err
		}
		changed := false
		for i, p := range params {
			if p.Type.Kind == ir.Optional && results[i].Type.Kind != ir.Optional {
				results[i], changed = present(c, body, results[i]), true
				continue
			}
			t, err := widenCarried(c, p.Type, results[i].Type, own)
			if err != nil {
				return nil, fmt.Errorf("carried value %q %w", p.Name, err)
			}
			changed = changed || !t.Equal(p.Type)
			p.Type = t
		}
		if !changed {
			return own, nil
		}
	}
}

// present returns v as an optional with a value, for a carried value that is initially empty.
func present(c *op.Infer, body *ir.Region, v *ir.Value) *ir.Value {
	b := &ir.Builder{Module: c.Module, Prefix: v.Name + "_", Class: c.Class, Pos: c.Pos}
	o := b.Op("Optional", v)
	body.Nodes = append(body.Nodes, b.Nodes...)
	return o
}

// begin returns the type of a carried value before the body is inferred: that of its initial value, except
// for symbols from a previous inference, and for the types of items from the file or a previous inference.
func begin(c *op.Infer, was, initial ir.Type, own map[string]bool) ir.Type {
	if initial.Kind != ir.Tensor && initial.Of != nil {
		if sameKind(was, initial) != nil || initial.Of.Ranked && was.Of.Ranked && len(initial.Of.Shape) != len(was.Of.Shape) {
			was = initial
		}
		return op.JoinItems(initial, was)
	}
	if initial.Kind != ir.Tensor || !was.Ranked || len(was.Shape) != len(initial.Shape) {
		return initial
	}
	shape := slices.Clone(initial.Shape)
	for k, d := range was.Shape {
		if s, ok := d.Symbol(); ok && slices.Contains(c.Syms, s) {
			shape[k], own[s] = d, true
		}
	}
	return ir.TensorOf(initial.Elem, shape...)
}

// freshBut is like [op.Infer.Fresh], without the symbols that are in use.
func freshBut(c *op.Infer, used map[string]bool, what string) ir.Dim {
	for {
		d := c.Fresh(what)
		if s, _ := d.Symbol(); !used[s] {
			return d
		}
	}
}

// widenCarried returns the type of a value that starts as was and is returned as is.
func widenCarried(c *op.Infer, was, is ir.Type, own map[string]bool) (ir.Type, error) {
	if err := sameKind(was, is); err != nil {
		return was, err
	}
	if was.Kind != ir.Tensor && was.Of == nil {
		return was, nil
	}
	if was.Kind != ir.Tensor {
		t := op.JoinItems(was, is)
		if was.Of.Ranked && !t.Of.Ranked {
			return was, fmt.Errorf("holds %s and %s", was.Of, is.Of)
		}
		return t, nil
	}
	shape := make([]ir.Dim, len(was.Shape))
	for i, d := range was.Shape {
		if s, ok := d.Symbol(); !d.Equal(is.Shape[i]) && !(ok && own[s]) {
			d = freshBut(c, own, "dim")
			s, _ := d.Symbol()
			own[s] = true
		}
		shape[i] = d
	}
	return ir.TensorOf(was.Elem, shape...), nil
}

// boundIn returns the symbols that are bound inside r.
func boundIn(r *ir.Region) map[string]bool {
	bound := map[string]bool{}
	r.Walk(func(n *ir.Node) {
		for _, s := range n.Syms {
			bound[s] = true
		}
	})
	r.Values(func(v *ir.Value) {
		for _, s := range v.ElemSyms {
			bound[s] = true
		}
	})
	return bound
}

// uses reports whether d depends on one of the symbols.
func uses(d ir.Dim, syms map[string]bool) bool {
	found := false
	d.Syms(func(s string) { found = found || syms[s] })
	return found
}

// checkFlag returns an error if v, a condition or trip count, is neither nil nor a scalar of type elem.
// Errors call it what.
func checkFlag(v *ir.Value, elem tensor.DType, what string) error {
	if v == nil {
		return nil
	}
	if v.Type.Kind != ir.Tensor || v.Type.Elem != elem {
		return fmt.Errorf("%s %q is %s, want %s", what, v.Name, v.Type, elem)
	}
	if n, ok := ir.Size(v.Type.Shape).Const(); ok && n != 1 {
		return fmt.Errorf("%s %q has %d elements, want 1", what, v.Name, n)
	}
	return nil
}
