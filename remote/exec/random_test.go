package exec

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/randomgraph"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// TestRandomGraphs runs random graphs several times in the same memory. The results are those of an
// evaluation in which every value has memory of its own, and only the outputs still count as memory.
func TestRandomGraphs(t *testing.T) {
	planned := 0
	for seed := range uint64(200) {
		g := randomgraph.New(seed)
		m := g.Module()
		text := ir.Print(m)
		n, err := tryGraph(g, m)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		planned += n
	}
	if planned < 100 {
		t.Errorf("%d of 200 graphs were planned, want most", planned)
	}
}

func tryGraph(g *randomgraph.Graph, m *ir.Module) (planned int, err error) {
	b := &budget{limit: 1 << 30}
	graph := newGraph(m.Clone(), b)
	for range 3 {
		in := g.Inputs()
		given := make([]*tensor.Tensor, len(in))
		for i, x := range in {
			given[i] = x.(*tensor.Tensor)
		}
		reference := m.Clone()
		if err := pass.Run(reference, pass.Pipeline, nil); err != nil {
			return 0, err
		}
		want, err := eval.Run(reference.Main, in)
		if err != nil {
			return 0, err
		}
		got, err := graph.Run(context.Background(), given)
		if err != nil {
			return 0, err
		}
		for i := range want {
			if err := compare.Values(got[i], want[i], compare.Tolerance{}); err != nil {
				return 0, fmt.Errorf("output %d: %w", i, err)
			}
			b.Give(Bytes(got[i]))
		}
	}
	for _, v := range graph.variants {
		if v.program != nil {
			planned = 1
		}
	}
	graph.Close()
	if b.used != 0 {
		return planned, fmt.Errorf("%d bytes stay taken", b.used)
	}
	return planned, nil
}

// A kernel that panics is an error with the name of its node, and does not affect the next run.
func TestBrokenKernelNamesItsNode(t *testing.T) {
	g := parse(t, "func @main(%x: float32[4]) -> (%y) {\n  %a = Neg(%x)\n  %y = Softmax(%a)\n}")
	x := []*tensor.Tensor{vec(1, 2, 3, 4)}
	if _, err := g.Run(context.Background(), x); err != nil {
		t.Fatal(err)
	}
	for _, v := range g.variants {
		last := v.program.calls[len(v.program.calls)-1]
		for value, place := range v.program.values {
			if value == last.node.In[0] {
				place.(*tensor.Tensor).Data = []float32{1} // the kernel reads beyond its end
			}
		}
	}
	_, err := g.Run(context.Background(), x)
	if err == nil || !strings.Contains(err.Error(), `node "y" (Softmax)`) {
		t.Errorf("got %v, want an error at y", err)
	}
}
