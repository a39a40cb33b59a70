package eval

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	_ "github.com/bbgen/bbgen/ir/op/all" // the table
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// env is the state of an evaluation.
type env struct {
	vals map[*ir.Value]tensor.Value
	syms map[string]int
	seen func(v *ir.Value, x tensor.Value) // called with the results of nodes; may be nil
	at   *ir.Node                          // the current or last node
	Limits
}

func newEnv() *env {
	portable()
	return &env{vals: map[*ir.Value]tensor.Value{}, syms: map[string]int{}}
}

// Run executes a function on inputs, given in the order of its parameters, and returns its results. Its nodes
// must have types and be lowerable, after inference and expansion.
func Run(f *ir.Func, in []tensor.Value) ([]tensor.Value, error) {
	out, _, err := Step(f, nil, in)
	return out, err
}

// Step is like [Run], for a function with states. The slice state gives their values in the function's order,
// with nil for initial values; next is their next values.
func Step(f *ir.Func, state, in []tensor.Value) (out, next []tensor.Value, err error) {
	return newEnv().step(f, state, in)
}

// Watch is like [Run], but calls seen with each value as soon as a kernel has computed it, before it is read.
// The function may change its elements.
func Watch(f *ir.Func, in []tensor.Value, seen func(v *ir.Value, x tensor.Value)) ([]tensor.Value, error) {
	e := newEnv()
	e.seen = seen
	out, _, err := e.step(f, nil, in)
	return out, err
}

func (e *env) step(f *ir.Func, state, in []tensor.Value) (out, next []tensor.Value, err error) {
	if len(in) != len(f.Body.Params) {
		return nil, nil, fmt.Errorf("got %d inputs, want %d", len(in), len(f.Body.Params))
	}
	for i, s := range f.State {
		x := tensor.Value(s.Init)
		switch {
		case state != nil:
			x = state[i]
		case s.Init == nil:
			x = e.alloc(s.Param.Type)
		}
		if err := e.bind(s.Param, x); err != nil {
			return nil, nil, fmt.Errorf("state %q: %w", s.Param.Name, err)
		}
	}
	for i, p := range f.Body.Params {
		if err := e.bind(p, in[i]); err != nil {
			return nil, nil, fmt.Errorf("input %q: %w", p.Name, err)
		}
	}
	if out, err = e.region(f.Body); err != nil {
		return nil, nil, err
	}
	for i, x := range out {
		if m, ok := x.(interface{ Sequence() *tensor.Sequence }); ok { // tensor.Maps
			out[i] = m.Sequence()
		}
	}
	for _, s := range f.State {
		next = append(next, e.value(s.Next))
	}
	return out, next, nil
}

// Node executes one node with constant inputs and returns its outputs.
func Node(n *ir.Node) ([]tensor.Value, error) {
	e := newEnv()
	if err := e.node(n); err != nil {
		return nil, err
	}
	return e.all(n.Out), nil
}

func (e *env) all(vs []*ir.Value) []tensor.Value {
	out := make([]tensor.Value, len(vs))
	for i, v := range vs {
		if v != nil {
			out[i] = e.value(v)
		}
	}
	return out
}

// region runs the nodes and returns the results.
func (e *env) region(r *ir.Region) ([]tensor.Value, error) {
	for _, n := range r.Nodes {
		if err := e.stopped(); err != nil {
			return nil, err
		}
		if err := e.node(n); err != nil {
			return nil, fmt.Errorf("%s: %w", n, err)
		}
	}
	return e.all(r.Results), nil
}

// bind assigns a value to a parameter, and binds the symbols of its type.
func (e *env) bind(v *ir.Value, x tensor.Value) error {
	e.vals[v] = x
	t, ok := x.(*tensor.Tensor)
	if !ok || !v.Type.Ranked {
		return nil
	}
	if t.DType != v.Type.Elem || len(t.Shape) != len(v.Type.Shape) {
		return fmt.Errorf("got %s, want %s", t, v.Type)
	}
	for i, d := range v.Type.Shape {
		s, ok := d.Symbol()
		if ok {
			if _, known := e.syms[s]; !known {
				e.syms[s] = t.Shape[i]
			}
		}
		if n := e.dim(d); n != t.Shape[i] {
			return fmt.Errorf("axis %d is %d, want %s = %d", i, t.Shape[i], d, n)
		}
	}
	e.bindElems(v)
	return nil
}

// bindElems binds the symbols that stand for elements of v.
func (e *env) bindElems(v *ir.Value) {
	for k, s := range v.ElemSyms {
		if s == "" {
			continue
		}
		switch d := content(e.vals[v]).(type) {
		case []int64:
			e.syms[s] = int(d[k])
		case []int32:
			e.syms[s] = int(d[k])
		}
	}
}

func (e *env) value(v *ir.Value) tensor.Value {
	if x, ok := e.vals[v]; ok {
		return x
	}
	if v.Const != nil {
		return v.Const
	}
	x := e.alloc(v.Type)
	e.vals[v] = x
	return x
}

func (e *env) alloc(t ir.Type) tensor.Value {
	switch t.Kind {
	case ir.AnyRank:
		return tensor.New(t.Of.Elem, 0)
	case ir.Map:
		return &tensor.Map{}
	case ir.Sequence:
		switch {
		case t.Of.Kind == ir.Map && t.Of.Key == tensor.String:
			return &tensor.Maps[string]{}
		case t.Of.Kind == ir.Map:
			return &tensor.Maps[int64]{}
		}
		return &tensor.Sequence{Elem: t.Of.Elem}
	case ir.Optional:
		return &tensor.Optional{}
	}
	shape := e.dims(t.Shape)
	cpu.CheckRoom(t.Elem.Size(), shape)
	e.take(t.Elem, shape)
	return tensor.New(t.Elem, shape...)
}

// clone returns a copy of x.
func (e *env) clone(x *tensor.Tensor) *tensor.Tensor {
	e.take(x.DType, x.Shape)
	return x.Clone()
}

func (e *env) dim(d ir.Dim) int {
	bound := true
	n, ok := d.Eval(func(s string) (int, bool) {
		v, ok := e.syms[s]
		bound = bound && ok
		return v, ok
	})
	switch {
	case !bound:
		panic(fmt.Sprintf("BUG: size %s is not bound", d))
	case !ok: // such as the axis that Reshape finds among axes of no elements
		panic(&cpu.Error{Kernel: d.String(), Msg: "integer division by zero"})
	}
	return n
}

func (e *env) dims(ds []ir.Dim) []int {
	out := make([]int, len(ds))
	for i, d := range ds {
		out[i] = e.dim(d)
	}
	return out
}

// node runs one node.
func (e *env) node(n *ir.Node) error {
	e.at = n
	o := op.Lookup(n)
	if o == nil {
		return fmt.Errorf("no such operator")
	}
	for _, v := range n.Out {
		delete(e.vals, v) // a loop's body runs again
	}
	switch {
	case o.Flow != op.NoFlow:
		if err := e.flow(o, n); err != nil {
			return err
		}
	case o.Lower == nil && !o.Alias:
		return fmt.Errorf("cannot be lowered")
	default:
		if err := e.lowered(o, n); err != nil {
			return err
		}
	}
	for _, v := range n.Out {
		if v == nil {
			continue
		}
		if e.seen != nil && o.Flow == op.NoFlow && !o.Alias {
			e.seen(v, e.value(v))
		}
		e.bindElems(v)
	}
	return nil
}

func (e *env) lowered(o *op.Op, n *ir.Node) error {
	l, err := o.Lowered(n)
	if err != nil {
		return err
	}
	for i, k := range o.Updates {
		if y, x := n.Res(i), n.Arg(k); y != nil && x != nil {
			e.vals[y] = e.clone(e.value(x).(*tensor.Tensor))
		}
	}
	for _, c := range l.Calls {
		if err := e.call(c); err != nil {
			return err
		}
	}
	if o.Alias {
		e.vals[n.Out[0]] = e.alias(n.In[0], n.Out[0])
	}
	return nil
}

// alias returns x under the type of y.
func (e *env) alias(x, y *ir.Value) tensor.Value {
	t, ok := e.value(x).(*tensor.Tensor)
	if !ok {
		return e.value(x)
	}
	return &tensor.Tensor{DType: t.DType, Shape: e.dims(y.Type.Shape), Data: t.Data}
}
