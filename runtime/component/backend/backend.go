// Package backend is for engines in slots of role Backend that compute one operator at a time. Its [Graphs] computes whole
// graphs with such an engine: it implements [model.Backend] for a component that embeds it.
//
//	type Engine struct{ backend.Graphs[Buffer] }
//
//	func (e *Engine) Open(runtime.Env) error { e.Graphs.Engine = e; return nil }
//
// Weights are converted to the engine's values once, when a graph is loaded; inputs when it runs, also those that have
// arrived from other peers; outputs when the program reads them. All values between them stay in the engine.
package backend

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Engine computes single operators. Its values, V, are tensors in its own form, such as memory of a device.
type Engine[V any] interface {
	// Operators returns the operators of ONNX that Execute knows. A graph with others is an error when the program is compiled, for
	// which Operators is called on the component as the program binds it. An engine that knows them only after Open returns nil
	// before; then the graph is refused when the peer starts.
	Operators() []string

	// Materialize makes a value of a tensor, which is borrowed until it returns: [tensor.Tensor.Clone] copies it.
	Materialize(*tensor.Tensor) (V, error)

	// Execute computes an operator. It returns a value for each of o.Out; those of outputs that are left out are not used. Inputs
	// that are left out are the zero value.
	Execute(ctx context.Context, o *Operation, in []V) ([]V, error)

	// Read returns a value as a tensor, which is borrowed until the next call.
	Read(V) (*tensor.Tensor, error)
}

// Graphs computes graphs with an engine.
type Graphs[V any] struct {
	Engine Engine[V]
	graphs []*loaded[V]
}

// loaded is a graph with its values.
type loaded[V any] struct {
	*graph
	constants, values map[string]V
}

// Load reads a graph, and materializes its weights.
func (g *Graphs[V]) Load(number int, model []byte) error {
	if number != len(g.graphs) {
		return fmt.Errorf("backend: graph %d comes after %d graphs", number, len(g.graphs))
	}
	read, err := readModel(model)
	if err != nil {
		return fmt.Errorf("backend: %w", err)
	}
	known := g.Engine.Operators()
	for _, o := range read.operations {
		if !slices.Contains(known, o.Type) {
			return fmt.Errorf("backend: node %q: the engine has no operator %s, only %v", o.Name, o.Type, slices.Sorted(slices.Values(known)))
		}
	}
	l := &loaded[V]{graph: read, constants: map[string]V{}}
	for name, x := range read.constants {
		if l.constants[name], err = g.Engine.Materialize(x); err != nil {
			return fmt.Errorf("backend: constant %q: %w", name, err)
		}
	}
	read.constants = nil
	g.graphs = append(g.graphs, l)
	return nil
}

// Run computes a graph, node by node.
func (g *Graphs[V]) Run(ctx context.Context, number int, inputs ...*tensor.Tensor) (err error) {
	l := g.graphs[number]
	if len(inputs) != len(l.inputs) {
		return fmt.Errorf("backend: got %d inputs, want %d", len(inputs), len(l.inputs))
	}
	l.values = maps.Clone(l.constants)
	for i, x := range inputs {
		if l.values[l.inputs[i]], err = g.Engine.Materialize(x); err != nil {
			return fmt.Errorf("backend: input %q: %w", l.inputs[i], err)
		}
	}
	for i := range l.operations {
		if err := l.execute(ctx, g.Engine, &l.operations[i]); err != nil {
			return fmt.Errorf("backend: node %q (%s): %w", l.operations[i].Name, l.operations[i].Type, err)
		}
	}
	return nil
}

// execute computes a node. Values that no later node reads are forgotten.
func (l *loaded[V]) execute(ctx context.Context, e Engine[V], o *Operation) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	in := make([]V, len(o.In))
	for i, name := range o.In {
		in[i] = l.values[name] // the zero value for ""
	}
	out, err := e.Execute(ctx, o, in)
	if err != nil {
		return err
	}
	if len(out) != len(o.Out) {
		return fmt.Errorf("the engine returns %d outputs, want %d", len(out), len(o.Out))
	}
	for _, name := range o.last {
		delete(l.values, name)
	}
	for i, name := range o.Out {
		if name != "" { // inputs that are left out have the same name
			l.values[name] = out[i]
		}
	}
	return nil
}

// Retrieve returns an output of the last run of a graph.
func (g *Graphs[V]) Retrieve(number, output int) (*tensor.Tensor, error) {
	l := g.graphs[number]
	v, ok := l.values[l.outputs[output]]
	if !ok {
		return nil, fmt.Errorf("backend: graph %d has not run", number)
	}
	return g.Engine.Read(v)
}

// AppendBinary appends nothing: graphs are loaded again.
func (*Graphs[V]) AppendBinary(b []byte) ([]byte, error) { return b, nil }

// UnmarshalBinary reads nothing.
func (*Graphs[V]) UnmarshalBinary([]byte) error { return nil }
