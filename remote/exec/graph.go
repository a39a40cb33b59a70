package exec

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Graph is a module that can be run. It is safe for concurrent use.
type Graph struct {
	module *ir.Module
	memory Memory

	mu       sync.Mutex
	bytes    int // of constants, in memory
	variants map[string]*variant
	closed   bool
}

// maxVariants is the maximum number of combinations of input shapes for which a graph is kept compiled.
const maxVariants = 16

// Decode reads a graph from an ONNX model, which counts as memory until Close.
func Decode(name string, model []byte, m Memory) (_ *Graph, err error) {
	defer recovered(&err)
	u := &usage{Memory: m}
	if err := u.Take(decodeCost(model)); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			u.settle(0)
		}
	}()
	module, err := onnx.DecodeWithin(name, model, u.bytes)
	if err != nil {
		return nil, err
	}
	g := newGraph(module, m)
	g.bytes = len(model) + constants(module.Main) + called(module)
	if err := u.settle(g.bytes); err != nil {
		return nil, err // no graph, whose Close would give the memory back once more
	}
	return g, nil
}

// constants returns the bytes of the constants of a function.
func constants(f *ir.Func) int {
	n := 0
	for _, v := range f.Consts() {
		n += Bytes(v.Const)
	}
	return n
}

func newGraph(module *ir.Module, m Memory) *Graph {
	return &Graph{module: module, memory: m, variants: map[string]*variant{}}
}

// Inputs returns the number of inputs of a run.
func (g *Graph) Inputs() int { return len(g.module.Main.Body.Params) }

// Outputs returns the number of outputs of a run.
func (g *Graph) Outputs() int { return len(g.module.Main.Body.Results) }

// Run computes the outputs. They use memory of the graph's [Memory] until the caller gives it back: [Bytes]
// of each.
func (g *Graph) Run(ctx context.Context, in []*tensor.Tensor) (out []*tensor.Tensor, err error) {
	defer recovered(&err)
	v, err := g.variant(in)
	if err != nil {
		return nil, err
	}
	return v.run(ctx, in, g.memory)
}

// variant returns the graph compiled for inputs of these types.
func (g *Graph) variant(in []*tensor.Tensor) (*variant, error) {
	if len(in) != g.Inputs() {
		return nil, fmt.Errorf("got %d inputs, want %d", len(in), g.Inputs())
	}
	key := fmt.Sprint(in)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil, errors.New("the graph was released")
	}
	if v := g.variants[key]; v != nil {
		return v, nil
	}
	v, err := g.prepare(in)
	if err != nil {
		return nil, err
	}
	for other := range g.variants {
		if len(g.variants) < maxVariants {
			break
		}
		g.drop(other)
	}
	g.variants[key] = v
	return v, nil
}

// foldBytes is the memory that folding may always use, in addition to a multiple of the model's.
const foldBytes = 64 << 10

// prepare compiles the graph for inputs of these types. Meanwhile it may need two more copies of the
// constants: folded, and packed for kernels.
func (g *Graph) prepare(in []*tensor.Tensor) (*variant, error) {
	room := foldBytes + 2*g.bytes
	if err := g.memory.Take(room); err != nil {
		return nil, err
	}
	defer g.memory.Give(room)
	m := g.module.Clone()
	sizes, err := symbols(m.Main, in)
	if err != nil {
		return nil, err
	}
	if err := pass.Bind(m, sizes); err != nil {
		return nil, err
	}
	if err := pass.Run(m, pass.Pipeline, pass.NewContext(m, pass.Options{FoldBytes: room})); err != nil {
		return nil, err
	}
	if len(m.Main.State) > 0 {
		return nil, errors.New("the graph has states: give what changes as inputs, and take it as outputs")
	}
	program, err := compile(m.Main, g.memory)
	if err != nil || program != nil {
		return &variant{f: m.Main, program: program}, err
	}
	bytes := constants(m.Main)
	return &variant{f: m.Main, bytes: bytes}, g.memory.Take(bytes)
}

// symbols returns the sizes of the symbols in a function's parameters.
func symbols(f *ir.Func, in []*tensor.Tensor) (map[string]int, error) {
	sizes := map[string]int{}
	for i, p := range f.Body.Params {
		if p.Type.Kind != ir.Tensor || !p.Type.Ranked {
			return nil, fmt.Errorf("input %q is %s, want a tensor of known rank", p.Name, p.Type)
		}
		if in[i].DType != p.Type.Elem || len(in[i].Shape) != len(p.Type.Shape) {
			return nil, fmt.Errorf("input %q is %s, want %s", p.Name, in[i], p.Type)
		}
		for k, d := range p.Type.Shape {
			n := in[i].Shape[k]
			if s, ok := d.Symbol(); ok {
				if have, known := sizes[s]; known && have != n {
					return nil, fmt.Errorf("input %q: axis %d is %d, want %s = %d", p.Name, k, n, s, have)
				}
				sizes[s] = n
			} else if want, ok := d.Const(); ok && want != n {
				return nil, fmt.Errorf("input %q: axis %d is %d, want %d", p.Name, k, n, want)
			}
		}
	}
	return sizes, nil
}

// drop removes a variant.
func (g *Graph) drop(key string) {
	g.variants[key].close(g.memory)
	delete(g.variants, key)
}

// Close gives back the memory of the graph. Runs that have begun are completed.
func (g *Graph) Close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for key := range g.variants {
		g.drop(key)
	}
	g.memory.Give(g.bytes)
	g.bytes, g.closed = 0, true
}

// Bytes returns the memory that is counted for a tensor.
func Bytes(t *tensor.Tensor) int {
	n := eval.Bytes(t.DType, t.Shape)
	if t.DType == tensor.String {
		for _, s := range tensor.Data[string](t) {
			n += len(s)
		}
	}
	return n
}

// recovered converts a panic to an error: messages of a client must not end the server.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("internal error, please report it: %v", r)
	}
}
