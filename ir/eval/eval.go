package eval

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	_ "github.com/bbgen/bbgen/ir/op/all" // the table
	"github.com/bbgen/bbgen/runtime/tensor"
)

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

// NodeWithin is like [Node], within limits.
func NodeWithin(n *ir.Node, l Limits) (out []tensor.Value, err error) {
	e := newEnv()
	e.Limits = l
	defer func() {
		switch r := recover().(type) {
		case nil:
		case refusal:
			err = e.broken(r)
		default:
			panic(r)
		}
	}()
	if err := e.node(n); err != nil {
		return nil, err
	}
	return e.all(n.Out), nil
}

// RunWithin is like [Run], within limits. Any failure of a kernel is an error that names the node.
func RunWithin(f *ir.Func, in []tensor.Value, l Limits) (out []tensor.Value, err error) {
	e := newEnv()
	e.Limits = l
	defer func() {
		if r := recover(); r != nil {
			err = e.broken(r)
		}
	}()
	out, _, err = e.step(f, nil, in)
	return out, err
}

// broken returns the error for a panic.
func (e *env) broken(r any) error {
	err, ok := r.(refusal)
	if !ok {
		err.error = fmt.Errorf("%v", r)
	}
	if e.at == nil {
		return err.error
	}
	return fmt.Errorf("%s: %w", e.at, err.error)
}
