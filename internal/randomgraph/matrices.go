package randomgraph

import (
	"fmt"
	"math/rand/v2"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Graph draws a graph over matrices of float32, n×4 or 4×4 in size.
type Graph struct {
	rng    *rand.Rand
	m      *ir.Module
	static bool
	depth  int
}

// New returns the graph of a seed.
func New(seed uint64) *Graph {
	rng := rand.New(rand.NewPCG(seed, 1))
	return &Graph{rng: rng, m: &ir.Module{Name: "random", File: "random", Opsets: map[string]int{"": 21}}, static: rng.IntN(2) == 0}
}

// Module draws the graph.
func (g *Graph) Module() *ir.Module {
	rows := ir.Sym("n")
	if g.static {
		rows = ir.C(3)
	}
	x := &ir.Value{Name: "x", Type: ir.TensorOf(tensor.Float32, rows, ir.C(4))}
	y := &ir.Value{Name: "y", Type: ir.TensorOf(tensor.Float32, rows, ir.C(4))}
	body := &ir.Region{Params: []*ir.Value{x, y}}
	g.m.Main = &ir.Func{Name: "main", Body: body}
	vals := g.fill(body, []*ir.Value{x, y}, 4+g.rng.IntN(16))
	if g.rng.IntN(3) == 0 {
		vals = g.layers(body, vals)
	}
	for range 1 + g.rng.IntN(3) {
		body.Results = append(body.Results, g.pick(vals))
	}
	return g.m
}

// Inputs draws inputs of the graph.
func (g *Graph) Inputs() []tensor.Value {
	rows := 3
	if !g.static {
		rows = g.rng.IntN(5)
	}
	var out []tensor.Value
	for range 2 {
		t := tensor.New(tensor.Float32, rows, 4)
		for i := range tensor.Data[float32](t) {
			tensor.Data[float32](t)[i] = g.rng.Float32()*2 - 1
		}
		out = append(out, t)
	}
	return out
}

func (g *Graph) pick(vals []*ir.Value) *ir.Value { return vals[g.rng.IntN(len(vals))] }

// node adds one node to r and returns its output.
func (g *Graph) node(r *ir.Region, opName string, attrs ir.Attrs, in ...*ir.Value) *ir.Value {
	b := &ir.Builder{Module: g.m, Infer: op.Inferrer{}}
	v := b.OpA(opName, attrs, in...)
	r.Nodes = append(r.Nodes, b.Nodes...)
	return v
}

// fill adds n random nodes that read vals and each other.
func (g *Graph) fill(r *ir.Region, vals []*ir.Value, n int) []*ir.Value {
	vals = append([]*ir.Value{}, vals...)
	for range n {
		vals = append(vals, g.step(r, vals))
	}
	return vals
}

func (g *Graph) step(r *ir.Region, vals []*ir.Value) *ir.Value {
	b := &ir.Builder{Module: g.m}
	switch k := g.rng.IntN(12); {
	case k < 3:
		return g.node(r, []string{"Relu", "Neg", "Tanh"}[k], nil, g.pick(vals))
	case k < 6:
		return g.node(r, []string{"Add", "Mul", "Sub"}[k-3], nil, g.pick(vals), g.pick(vals))
	case k == 6:
		return g.node(r, "MatMul", nil, g.pick(vals), g.weight())
	case k == 7:
		return g.node(r, "Reshape", nil, g.pick(vals), b.Ints(-1, 4))
	case k == 8:
		t := g.node(r, "Transpose", ir.Attrs{{Name: "perm", Value: []int64{1, 0}}}, g.pick(vals))
		return g.node(r, "Transpose", ir.Attrs{{Name: "perm", Value: []int64{1, 0}}}, g.node(r, "Relu", nil, t))
	case k == 9:
		return g.node(r, "Softmax", nil, g.pick(vals))
	case k == 10 && g.depth < 2:
		return g.branch(r, vals)
	case k == 11 && g.depth < 2:
		return g.loop(r, vals)
	}
	return g.node(r, "Identity", nil, g.pick(vals))
}

// weight returns a random constant matrix.
func (g *Graph) weight() *ir.Value {
	t := tensor.New(tensor.Float32, 4, 4)
	for i := range tensor.Data[float32](t) {
		tensor.Data[float32](t)[i] = g.rng.Float32() - 0.5
	}
	return ir.NewConst(g.m.FreshName("w"), t)
}

// branch adds an If on the sum of a value.
func (g *Graph) branch(r *ir.Region, vals []*ir.Value) *ir.Value {
	g.depth++
	defer func() { g.depth-- }()
	sum := g.node(r, "ReduceSum", ir.Attrs{{Name: "keepdims", Value: int64(0)}}, g.pick(vals))
	cond := g.node(r, "Greater", nil, sum, ir.NewConst(g.m.FreshName("zero"), tensor.Of([]float32{0})))
	n := &ir.Node{Op: "If", Name: g.m.FreshName("if"), In: []*ir.Value{cond}}
	n.Out = []*ir.Value{{Name: g.m.FreshName("chosen"), Def: n, Type: vals[0].Type}}
	for _, name := range []string{"then_branch", "else_branch"} {
		arm := &ir.Region{Name: name}
		arm.Results = []*ir.Value{g.pick(g.fill(arm, vals, 1+g.rng.IntN(4)))}
		n.Regions = append(n.Regions, arm)
	}
	r.Nodes = append(r.Nodes, n)
	return n.Out[0]
}

// loop adds a Loop that carries two values, which it may exchange.
func (g *Graph) loop(r *ir.Region, vals []*ir.Value) *ir.Value {
	g.depth++
	defer func() { g.depth-- }()
	trips := ir.NewConst(g.m.FreshName("trips"), tensor.Of([]int64{int64(g.rng.IntN(4))}))
	trips.Type, trips.Const.Shape = ir.TensorOf(tensor.Int64), []int{}
	n := &ir.Node{Op: "Loop", Name: g.m.FreshName("loop"), In: []*ir.Value{trips, nil, g.pick(vals), g.pick(vals)}}
	body := &ir.Region{Name: "body"}
	for i, t := range []ir.Type{ir.TensorOf(tensor.Int64), ir.TensorOf(tensor.Bool), vals[0].Type, vals[0].Type} {
		body.Params = append(body.Params, &ir.Value{Name: g.m.FreshName(fmt.Sprint("p", i)), Type: t})
	}
	inner := g.fill(body, append([]*ir.Value{body.Params[2], body.Params[3]}, vals...), 1+g.rng.IntN(5))
	on := g.node(body, "Identity", nil, body.Params[1])
	a, b := g.pick(inner), g.pick(inner)
	if g.rng.IntN(3) == 0 {
		a, b = body.Params[3], body.Params[2]
	}
	body.Results = []*ir.Value{on, a, b}
	n.Regions = []*ir.Region{body}
	for range 2 {
		n.Out = append(n.Out, &ir.Value{Name: g.m.FreshName("carried"), Def: n, Type: vals[0].Type})
	}
	r.Nodes = append(r.Nodes, n)
	return n.Out[g.rng.IntN(2)]
}

// layers adds the same few nodes several times, with other weights.
func (g *Graph) layers(r *ir.Region, vals []*ir.Value) []*ir.Value {
	x := g.pick(vals)
	for range 3 + g.rng.IntN(3) {
		h := g.node(r, "MatMul", nil, x, g.weight())
		h = g.node(r, "Tanh", nil, h)
		h = g.node(r, "Softmax", nil, h)
		h = g.node(r, "MatMul", nil, h, g.weight())
		h = g.node(r, "Mul", nil, h, vals[1])
		h = g.node(r, "Neg", nil, h)
		x = g.node(r, "Add", nil, x, h)
	}
	return append(vals, x)
}
