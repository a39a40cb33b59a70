// Package grad implements reverse-mode differentiation from graph to graph: a gradient is computed by more
// nodes of the same region, so that every later pass works on them, and they can be differentiated again. The
// rules are part of the operators in package op.
package grad

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	_ "github.com/bbgen/bbgen/ir/op/all" // the table
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Gradients appends nodes to r that compute the derivatives of y with respect to each of xs, and returns the
// derivatives. y must have one element. The derivative with respect to an x that y does not depend on is
// zero.
//
// An operator without a rule between an x and y is an error, which names the node and the path from it to y.
func Gradients(m *ir.Module, r *ir.Region, y *ir.Value, xs []*ir.Value) ([]*ir.Value, error) {
	w := outermost(m, r)
	w.zeros = true
	if err := w.begin(y); err != nil {
		return nil, err
	}
	return w.run(xs)
}

// Each is like [Gradients], except that the result is nil for an x that y does not depend on.
func Each(m *ir.Module, r *ir.Region, y *ir.Value, xs []*ir.Value) ([]*ir.Value, error) {
	w := outermost(m, r)
	if err := w.begin(y); err != nil {
		return nil, err
	}
	return w.run(xs)
}

// Pullback is like [Gradients], for several outputs with given gradients.
func Pullback(m *ir.Module, r *ir.Region, dy map[*ir.Value]*ir.Value, xs []*ir.Value) ([]*ir.Value, error) {
	w := outermost(m, r)
	w.zeros = true
	maps.Copy(w.grad, dy)
	return w.run(xs)
}

// PullbackEach is like [Pullback], except that the result is nil for an x that no output depends on.
func PullbackEach(m *ir.Module, r *ir.Region, dy map[*ir.Value]*ir.Value, xs []*ir.Value) ([]*ir.Value, error) {
	w := outermost(m, r)
	maps.Copy(w.grad, dy)
	return w.run(xs)
}

func ones(t ir.Type) *tensor.Tensor {
	shape, _ := ir.Static(t.Shape)
	out := tensor.New(t.Elem, shape...)
	copy(out.Bytes(), tensor.FromFloat(t.Elem, 1).Bytes())
	return out
}

// walk is the state of one differentiation: it goes backwards over the nodes of a region.
type walk struct {
	m     *ir.Module
	r     *ir.Region
	b     *ir.Builder
	zeros bool                    // the derivative is 0 for an x that no output depends on, and not nil
	grad  map[*ir.Value]*ir.Value // accumulated gradients of the outputs
	via   map[*ir.Value]*ir.Node  // the node that contributed to a value's gradient, for messages
	need  map[*ir.Value]bool      // values that depend on an x
}

// newWalk begins a differentiation of r whose nodes b makes.
func newWalk(m *ir.Module, r *ir.Region, b *ir.Builder) *walk {
	return &walk{m: m, r: r, b: b, grad: map[*ir.Value]*ir.Value{}, via: map[*ir.Value]*ir.Node{}}
}

// outermost begins a differentiation that is not part of another.
func outermost(m *ir.Module, r *ir.Region) *walk {
	return newWalk(m, r, &ir.Builder{Module: m, Infer: op.Inferrer{}, Prefix: "grad/"})
}

// begin makes y the output: its gradient with respect to itself is 1.
func (w *walk) begin(y *ir.Value) error {
	if n, ok := ir.Size(y.Type.Shape).Const(); !ok || n != 1 || !y.Type.Elem.IsFloat() {
		return fmt.Errorf("%q is %s, want a float scalar to differentiate", y.Name, y.Type)
	}
	w.grad[y] = w.b.Const(ones(y.Type))
	return nil
}

// run returns the derivatives of the outputs with respect to each of xs. Errors begin with the name of the file.
func (w *walk) run(xs []*ir.Value) ([]*ir.Value, error) {
	out, err := w.backward(xs)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w.m.File, err)
	}
	return out, nil
}

func (w *walk) backward(xs []*ir.Value) (out []*ir.Value, err error) {
	if w.need, err = dependents(w.m, w.r, xs); err != nil {
		return nil, err
	}
	for _, n := range slices.Backward(w.r.Nodes) {
		if err := w.node(n); err != nil {
			return nil, err
		}
	}
	for _, x := range xs {
		dx := w.grad[x]
		if dx == nil && w.zeros && differentiable(x) {
			dx = op.Fill(w.b, x, 0)
		}
		out = append(out, dx)
	}
	if err := w.b.Err(); err != nil {
		return nil, err
	}
	w.r.Nodes = append(w.r.Nodes, w.b.Nodes...)
	return out, nil
}

// dependents marks xs and every value with floats that depends on one of them. It also marks values that an
// operator's definition computes, if the definition replaces the operator. A value taken from a list must not
// be mistaken for a constant.
func dependents(m *ir.Module, r *ir.Region, xs []*ir.Value) (map[*ir.Value]bool, error) {
	t := &tracer{m, map[*ir.Value]bool{}}
	for _, x := range xs {
		t.need[x] = true
	}
	return t.need, t.region(r)
}

// tracer marks values.
type tracer struct {
	m    *ir.Module
	need map[*ir.Value]bool
}

// region marks values of r, and replaces nodes by their definitions.
func (t *tracer) region(r *ir.Region) error {
	var out []*ir.Node
	for _, n := range r.Nodes {
		nodes, err := t.node(n)
		if err != nil {
			return err
		}
		out = append(out, nodes...)
	}
	r.Nodes = out
	return nil
}

// node marks the outputs of n, and returns n or its definition.
func (t *tracer) node(n *ir.Node) (out []*ir.Node, err error) {
	if !reads(n, t.need) || !slices.ContainsFunc(n.Out, carries) {
		return []*ir.Node{n}, nil
	}
	nodes, err := definition(t.m, n)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", n, err)
	}
	if nodes != nil {
		in := &ir.Region{Nodes: nodes}
		err := t.region(in)
		return in.Nodes, err
	}
	for _, in := range n.Regions { // a definition may read another value from outside: one that a list consists of
		if err := t.region(in); err != nil {
			return nil, err
		}
	}
	for _, v := range n.Out {
		if carries(v) {
			t.need[v] = true
		}
	}
	return []*ir.Node{n}, nil
}

// definition returns nodes that replace n and define its outputs, so that n is differentiated by its
// definition. It returns nil if n has a gradient of its own, or if the definition only computes the same
// operator on other types.
func definition(m *ir.Module, n *ir.Node) ([]*ir.Node, error) {
	o := op.Lookup(n)
	casts := o.Expands != nil && o.Expands(n)
	own := o.Grad != nil && (o.HasGrad == nil || o.HasGrad(n))
	if o.Expand == nil || (own || o.Stops != "" || o.Flow != op.NoFlow) && !casts {
		return nil, nil
	}
	b := &ir.Builder{Module: m, Infer: op.Inferrer{}, Prefix: n.Name + "_", Class: n.Class, Pos: n.Pos}
	vs, err := o.Expand(b, n)
	if err == nil {
		err = b.Err()
	}
	same := func(x *ir.Node) bool { return x.Op == n.Op && x.Domain == n.Domain }
	if err != nil || !casts && slices.ContainsFunc(b.Nodes, same) {
		return nil, err
	}
	op.TakeOver(b, n, vs)
	return b.Nodes, b.Err()
}

// reads reports whether n, or a region inside it, reads one of vs.
func reads(n *ir.Node, vs map[*ir.Value]bool) bool {
	for _, v := range n.In {
		if vs[v] {
			return true
		}
	}
	for _, in := range n.Regions {
		for _, v := range in.Captures() {
			if vs[v] {
				return true
			}
		}
	}
	return false
}

// differentiable reports whether a value can have a gradient: it must be a tensor of floats.
func differentiable(v *ir.Value) bool {
	return v != nil && v.Type.Kind == ir.Tensor && v.Type.Elem.IsFloat()
}

// carries reports whether a value contains floats: it is a tensor of floats, or a list or an optional of such
// tensors.
func carries(v *ir.Value) bool {
	if v == nil {
		return false
	}
	t := v.Type
	for t.Of != nil {
		t = *t.Of
	}
	return t.Kind == ir.Tensor && t.Elem.IsFloat()
}

// node propagates the gradients of n's outputs to its inputs.
func (w *walk) node(n *ir.Node) error {
	dy := make([]*ir.Value, len(n.Out))
	reached := false
	for i, v := range n.Out {
		if v != nil && w.grad[v] != nil && w.need[v] {
			dy[i], reached = w.grad[v], true
		}
	}
	if !reached {
		return nil
	}
	o := op.Lookup(n)
	if o.Flow != op.NoFlow {
		w.b.Class, w.b.Prefix = n.Class, "grad/"+n.Name+"/"
		if err := w.flow(n, o, dy); err != nil {
			return fmt.Errorf("gradient of %s: %w", n, err)
		}
		return nil
	}
	if o.Grad == nil {
		return fmt.Errorf("%s has no gradient: %s; it is on the way %s", n, o.Stops, w.path(n))
	}
	w.b.Class, w.b.Prefix = n.Class, "grad/"+n.Name+"/"
	dx := o.Grad(w.b, n, dy)
	if err := w.b.Err(); err != nil {
		return fmt.Errorf("gradient of %s: %w", n, err)
	}
	if len(dx) > len(n.In) {
		panic(fmt.Sprintf("BUG: gradient of %s has %d parts for %d inputs", n.Op, len(dx), len(n.In)))
	}
	for i, g := range dx {
		x := n.In[i]
		if g == nil || !differentiable(x) || !w.need[x] {
			continue
		}
		if g == op.NoGrad {
			return fmt.Errorf("%s has no gradient by %q; it is on the way %s", n, x.Name, w.path(n))
		}
		if !g.Type.Equal(x.Type) && len(g.Type.Shape) != len(x.Type.Shape) {
			panic(fmt.Sprintf("BUG: gradient of %s: input %d is %s, its gradient %s", n.Op, i, x.Type, g.Type))
		}
		w.add(n, x, g)
	}
	return nil
}

// add adds g, which n contributes, to the gradient of x.
func (w *walk) add(n *ir.Node, x, g *ir.Value) {
	w.via[x] = n
	w.grad[x] = plus(w.b, w.grad[x], g)
}

// path lists the nodes from n to the differentiated value.
func (w *walk) path(n *ir.Node) string {
	var names []string
	for len(names) < 8 {
		names = append(names, n.Name)
		var next *ir.Node
		for _, v := range n.Out {
			if v != nil && w.via[v] != nil {
				next = w.via[v]
			}
		}
		if next == nil {
			break
		}
		n = next
	}
	return strings.Join(names, " → ")
}
