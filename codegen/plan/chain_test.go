package plan

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/bbgen/bbgen/internal/randomgraph"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/ir/target"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// small is a target whose first cache has one element to read and one to write, so that chains of any size pay off.
var small = func() *target.Target {
	t := *target.Default
	t.Caches = []target.Cache{{Level: 1, Bytes: 8}}
	return &t
}()

// TestRandomGraphsChained is TestRandomGraphs with values that are large enough for chains.
func TestRandomGraphsChained(t *testing.T) {
	for seed := range uint64(200) {
		g := randomgraph.New(seed)
		m := g.Module()
		text := ir.Print(m)
		if err := tryGraph(g, m, small); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
	}
}

// TestChains plans random elementwise graphs with operands that broadcast in all possible ways, and executes
// them in parts.
func TestChains(t *testing.T) {
	kinds := map[string]int{}
	for seed := range uint64(400) {
		m, in := elementwise(seed)
		text := ir.Print(m)
		want, err := eval.Run(m.Main, in)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Make(m.Main, small)
		if err != nil {
			t.Fatal(err)
		}
		each(p.Steps, func(s Step) {
			if c, ok := s.(*Chain); ok {
				kinds["chain"]++
				for _, o := range c.Operands {
					kinds[fmt.Sprint(o.Kind, o.Run, o.Each.Is(1))]++
				}
			}
		}, func(Step) {})
		got, err := execute(p, in)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		for i := range want {
			if err := compare.Values(got[i], want[i], compare.Tolerance{}); err != nil {
				t.Fatalf("seed %d: output %d: %v\n%s", seed, i, err, text)
			}
		}
	}
	if len(kinds) != 7 {
		t.Errorf("chains and their operands are %v, want all seven kinds", kinds)
	}
}

// elementwise draws a graph over [2, 3, 4, 5].
func elementwise(seed uint64) (*ir.Module, []tensor.Value) {
	rng := rand.New(rand.NewPCG(seed, 2))
	body := &ir.Region{}
	m := &ir.Module{Name: "chains", File: "chains", Opsets: map[string]int{"": 21}, Main: &ir.Func{Name: "main", Body: body}}
	full := []int{2, 3, 4, 5}
	if rng.IntN(4) == 0 {
		full = []int{2, 12, 5}
	}
	var in []tensor.Value
	input := func(shape []int) *ir.Value {
		t := tensor.New(tensor.Float32, shape...)
		for i := range tensor.Data[float32](t) {
			tensor.Data[float32](t)[i] = rng.Float32()*4 - 2
		}
		in = append(in, t)
		v := &ir.Value{Name: fmt.Sprint("x", len(in)), Type: ir.TensorOf(tensor.Float32, ir.Cs(shape...)...)}
		body.Params = append(body.Params, v)
		return v
	}
	var narrow []*ir.Value // operands that are broadcast: mostly of one kind, so that rows are alike
	cut := rng.IntN(1 << len(full))
	for range 3 {
		shape := append([]int{}, full...)
		if rng.IntN(4) == 0 {
			cut = rng.IntN(1 << len(full))
		}
		for k := range shape {
			if cut>>k&1 != 0 {
				shape[k] = 1
			}
		}
		narrow = append(narrow, input(shape))
	}
	b := &ir.Builder{Module: m, Infer: op.Inferrer{}}
	vals := []*ir.Value{input(full), input(full)}
	pick := func() *ir.Value { return vals[max(0, len(vals)-1-rng.IntN(4))] }
	for range 3 + rng.IntN(12) {
		other := pick()
		if rng.IntN(3) == 0 {
			other = narrow[rng.IntN(len(narrow))]
		}
		switch k := rng.IntN(9); {
		case k < 3:
			vals = append(vals, b.Op([]string{"Relu", "Neg", "Tanh"}[k], pick()))
		case k < 6:
			vals = append(vals, b.Op([]string{"Add", "Mul", "Sub"}[k-3], pick(), other))
		case k == 6:
			vals = append(vals, b.Op("Where", b.Op("Greater", pick(), other), other, pick()))
		case k == 7:
			vals = append(vals, b.OpA("Softmax", nil, pick()))
		default:
			vals = append(vals, b.Op("Where", b.Op("Less", pick(), pick()), pick(), other))
		}
	}
	body.Nodes = b.Nodes
	for range 1 + rng.IntN(2) {
		body.Results = append(body.Results, pick())
	}
	return m, in
}

// TestChainsOfLayers tests that chains remain within blocks that repeat.
func TestChainsOfLayers(t *testing.T) {
	rolled := 0
	for seed := range uint64(200) {
		g := randomgraph.New(seed)
		m := g.Module()
		if err := pass.Run(m, pass.Pipeline, nil); err != nil {
			t.Fatal(err)
		}
		p, err := Make(m.Main, small)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range p.Blocks {
			each(b.Steps, func(s Step) {
				if _, ok := s.(*Chain); ok {
					rolled++
				}
			}, func(Step) {})
		}
	}
	if rolled == 0 {
		t.Error("no block has a chain")
	}
}
