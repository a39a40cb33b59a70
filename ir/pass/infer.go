package pass

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// Infer upgrades every node to the newest version of its operator and infers the types of all values. It
// reports all unsupported operators at once.
var Infer = &Pass{Name: "infer", Run: infer, After: []*Pass{Inline}}

func infer(c *Context, m *ir.Module) error {
	if err := supported(m); err != nil {
		return err
	}
	f := &inferrer{c: c, m: m, ends: map[*ir.Region]bool{}, prefixes: map[*ir.Region]string{}}
	f.ends[m.Main.Body] = len(m.Main.State) == 0
	declared := declaredOf(m)
	err := f.region(m.Main.Body)
	if f.exceeded != nil {
		err = f.exceeded
	}
	if err != nil {
		return fmt.Errorf("%s: %w", m.File, err)
	}
	warnings, err := declared.check(m)
	if c != nil {
		c.Warnings, c.Training = append(c.Warnings, warnings...), trains(m)
	}
	return err
}

// trains lists the nodes that compute as in training.
func trains(m *ir.Module) (nodes []string) {
	m.Main.Body.Walk(func(n *ir.Node) {
		if o := op.Lookup(n); o != nil && o.Trains != nil && o.Trains(n) {
			nodes = append(nodes, n.String())
		}
	})
	return nodes
}

// Unsupported is a node that bbgen cannot compile.
type Unsupported struct {
	Node   *ir.Node
	Reason string
}

// Unsupporteds lists the nodes with operators that bbgen does not support.
func Unsupporteds(m *ir.Module) []Unsupported {
	var out []Unsupported
	m.Main.Body.Walk(func(n *ir.Node) {
		if op.Lookup(n) == nil {
			out = append(out, Unsupported{n, "no such operator"})
		}
	})
	return out
}

// supported reports all operators that bbgen does not support, and versions that are too new.
func supported(m *ir.Module) error {
	var errs []error
	late := map[string]bool{}
	m.Main.Body.Walk(func(n *ir.Node) {
		if newest := op.NewestSet(n.Domain); n.Version > newest && newest > 0 && !late[n.Domain] {
			late[n.Domain] = true
			errs = append(errs, fmt.Errorf("%s: %s: operator set %d is newer than %d, the newest that bbgen knows", m.File, n, n.Version, newest))
		}
	})
	for _, u := range Unsupporteds(m) {
		errs = append(errs, fmt.Errorf("%s: %s: %s", m.File, u.Node, u.Reason))
	}
	return errors.Join(errs...)
}

// inferrer infers the types of one module.
type inferrer struct {
	c      *Context
	m      *ir.Module
	pushed int                 // number of nodes copied into branches so far
	ends   map[*ir.Region]bool // regions with results that are only outputs of the model

	// exceeded is the error if too many were copied. It is kept here, as a branch with an error is left out, which
	// is right only if the branch is wrong.
	exceeded error

	prefixes map[*ir.Region]string // of the names of the nodes that were moved into a branch
}

// region infers the nodes of r in order.
func (f *inferrer) region(r *ir.Region) error {
	var out []*ir.Node
	for i := 0; i < len(r.Nodes); i++ {
		if f.exceeded != nil {
			return f.exceeded
		}
		n := r.Nodes[i]
		if op.Lookup(n).Synonym() {
			nodes, err := f.defined(n)
			if err != nil {
				return placed(n, err)
			}
			r.Nodes = slices.Replace(r.Nodes, i, i+1, nodes...)
			i--
			continue
		}
		before, err := f.node(n)
		for diverges(n, err) && i+1 < len(r.Nodes) {
			if err = f.pushRest(r, i); err == nil {
				_, err = f.node(n)
			}
		}
		if diverges(n, err) && f.ends[r] {
			err = f.last(n)
		}
		if err != nil {
			r.Nodes = append(out, r.Nodes[i:]...) // another rewriting may resolve the error
			return placed(n, err)
		}
		out = append(out, before...)
		if n.Is("DequantizeLinear") || !foldNode(n, maxSmall, f.c) { // quantized values are left to FuseQDQ
			out = append(out, n)
		}
	}
	r.Nodes = out
	return nil
}

// placed says which node an error is about, and which line of the author, if there is one.
func placed(n *ir.Node, err error) error {
	if n.Pos == "" {
		return fmt.Errorf("%s: %w", n, err)
	}
	return fmt.Errorf("%s: %s: %w", n.Pos, n, err)
}

// defined returns the nodes that define n, if it is to be replaced by its definition at once.
func (f *inferrer) defined(n *ir.Node) ([]*ir.Node, error) {
	o := op.Lookup(n)
	if err := o.Check(n); err != nil {
		return nil, err
	}
	for _, v := range n.In {
		if v != nil && (v.Type.Kind != ir.Tensor || !v.Type.Known()) {
			return nil, fmt.Errorf("input %q is %s, want a tensor of known rank", v.Name, v.Type)
		}
	}
	if err := o.CheckTypes(n); err != nil {
		return nil, err
	}
	return defined(f.m, n, o.Expand)
}

// maxSmall is the largest number of elements of a constant that is folded during inference, so that the
// shapes computed from it are known: exporters compute shapes with ordinary operators.
const maxSmall = 256

// node upgrades, adapts and infers n. It returns the nodes that must precede n.
func (f *inferrer) node(n *ir.Node) ([]*ir.Node, error) {
	o := op.Lookup(n)
	if err := o.Check(n); err != nil {
		return nil, err
	}
	b := builder(f.m, n)
	if err := o.Renew(b, n); err != nil {
		return nil, err
	}
	if o.Adapt != nil {
		o.Adapt(b, n)
	}
	if err := b.Err(); err != nil {
		return nil, err
	}
	if err := o.Type(&op.Infer{Node: n, Module: f.m, Region: f.inner}); err != nil {
		return nil, err
	}
	return b.Nodes, nil
}

// inner infers the body of a control flow node. Errors inside it already name their node.
func (f *inferrer) inner(r *ir.Region) error { return f.region(r) }
