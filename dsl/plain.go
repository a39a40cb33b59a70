package dsl

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/artifact/keys"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Plain records a model that one machine computes. Its body calls [Graph.Input] and [Graph.Output], and the
// computation between them. The weights of the model are the tensors passed to [Graph.Weight]. If body is at
// fault, the error is of type [Errors].
func Plain(name string, body func(g *Graph)) (*ir.Module, error) {
	r := newRecorder(name)
	fn := &function{r: r, plain: true, syms: map[string]string{}, weights: map[string]Value{}, f: r.m.Main, call: &ir.Node{}}
	g := &Graph{r: r, fn: fn}
	r.run(body, g)
	if len(fn.outputs) == 0 && len(r.errs) == 0 {
		r.failAt(pos{}, "model %s has no outputs: name one with Output", name)
	}
	if len(r.errs) > 0 {
		return nil, r.errs
	}
	for _, o := range fn.outputs {
		fn.f.Body.Results = append(fn.f.Body.Results, o.ir)
	}
	freeze(r.m, fn.weights)
	oneVersion(r.m)
	for _, f := range r.m.Funcs {
		define(f)
	}
	if err := ir.Verify(r.m); err != nil {
		panic(fmt.Sprintf("BUG: the record of %s: %v", name, err))
	}
	return r.m, nil
}

// freeze turns constants into initializers, and notes which are not weights, so that training does not change
// them.
func freeze(m *ir.Module, weights map[string]Value) {
	initializers(m.Main.Body)
	fixed := []string{}
	for _, v := range m.Main.Consts() {
		if _, ok := weights[v.Name]; !ok {
			fixed = append(fixed, v.Name)
		}
	}
	if len(fixed) == 0 {
		return
	}
	b, err := json.Marshal(fixed)
	if err != nil {
		panic(fmt.Sprintf("BUG: names of constants: %v", err))
	}
	m.Meta = append(m.Meta, ir.Metadata{Key: keys.Frozen, Value: string(b)})
}

// initializers removes the Constant nodes from a region. Readers use the content of their outputs.
func initializers(r *ir.Region) {
	r.Nodes = slices.DeleteFunc(r.Nodes, func(n *ir.Node) bool {
		for _, inner := range n.Regions {
			initializers(inner)
		}
		if !n.Is("Constant") {
			return false
		}
		n.Out[0].Def = nil
		return true
	})
}

// Weight returns a trainable tensor of a [Plain] model: an initializer with the given name. It may be called
// again with the same name and tensor.
func (g *Graph) Weight(name string, t *tensor.Tensor) Value {
	p := g.r.at()
	switch old, ok := g.fn.weights[name]; {
	case !g.fn.plain:
		return g.r.failAt(p, "weight %q: a program has no weights of its own: bind a Model slot to the model's file", name)
	case t == nil || name == "":
		return g.r.failAt(p, "weight %q: want a name and a tensor", name)
	case ir.CheckTensor(t) != nil:
		return g.r.failAt(p, "weight %q: %v", name, ir.CheckTensor(t))
	case ok && old.ir.Const == t:
		return old
	case ok || g.r.m.FreshName(name) != name:
		return g.r.failAt(p, "weight %q: there is another value of that name", name)
	}
	v := Value{&value{ir: ir.NewConst(name, t), fn: g.fn}}
	g.fn.weights[name] = v
	return v
}

// Within returns the graph for a part of a model. Names of values recorded on it, and messages about them,
// begin with the part's name.
func (g *Graph) Within(part string) *Graph {
	c := *g
	c.part += part + "/"
	return &c
}

// Fail reports a mistake of the author, and returns a placeholder for the value that cannot be computed.
func (g *Graph) Fail(format string, args ...any) Value {
	return g.fail(g.r.at(), fmt.Sprintf(format, args...))
}
