package partitioner_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/conformance"
	"github.com/bbgen/bbgen/internal/randomgraph"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/partitioner"
	"github.com/bbgen/bbgen/partitioner/interpret"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// TestSplitRandom cuts random graphs into stages: together these have the results of the graph, bit for bit,
// for any order of their fills.
func TestSplitRandom(t *testing.T) {
	n := uint64(150)
	if testing.Short() {
		n = 40
	}
	for seed := range n {
		g := randomgraph.New(seed)
		m := g.Module()
		text := ir.Print(m)
		if err := pass.Run(m, pass.Pipeline, nil); err != nil {
			t.Fatal(err)
		}
		for stages := 2; stages <= 4 && stages <= len(m.Main.Body.Nodes); stages++ {
			if err := sameWhenSplit(m, stages, seed, g.Inputs()); err != nil {
				t.Fatalf("seed %d, %d stages: %v\n%s", seed, stages, err, text)
			}
		}
	}
}

// TestSplitModels is [TestSplitRandom] for whole networks.
func TestSplitModels(t *testing.T) {
	for _, c := range conformance.List(t, conformance.Open(t, conformance.Models)) {
		t.Run(c.Name, func(t *testing.T) {
			m, err := onnx.Decode(c.Name, c.Model(t), nil)
			if err == nil {
				err = pass.Run(m, pass.Pipeline, nil)
			}
			if err != nil {
				t.Fatal(err)
			}
			var in []tensor.Value
			for k := range m.Main.Body.Params {
				v, _, err := tensorio.DecodeTensor(c.Sets(t)[0].Inputs[k])
				if err != nil {
					t.Fatal(err)
				}
				in = append(in, v)
			}
			for stages := 2; stages <= 4; stages++ {
				if err := sameWhenSplit(m, stages, 1, in); err != nil {
					t.Fatalf("%d stages: %v", stages, err)
				}
			}
		})
	}
}

// TestScatter is [TestSplitRandom] for nodes on random classes.
func TestScatter(t *testing.T) {
	n := uint64(150)
	if testing.Short() {
		n = 40
	}
	for seed := range n {
		g := randomgraph.New(seed)
		m := g.Module()
		text := ir.Print(m)
		if err := pass.Run(m, pass.Pipeline, nil); err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(seed, 3))
		err := sameWhenCut(m, seed, g.Inputs(), func(m *ir.Module) error {
			partitioner.Scatter(m, 2+rng.IntN(3), rng)
			return nil
		})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
	}
}

// sameWhenSplit compares a model with its stages.
func sameWhenSplit(m *ir.Module, stages int, seed uint64, in []tensor.Value) error {
	return sameWhenCut(m, seed, in, func(m *ir.Module) error {
		_, err := partitioner.Split(m, partitioner.SplitOptions{Stages: stages})
		return err
	})
}

// sameWhenCut compares a model with the same model whose nodes have classes.
func sameWhenCut(m *ir.Module, seed uint64, in []tensor.Value, split func(*ir.Module) error) error {
	want, err := eval.Run(m.Main, in)
	if err != nil {
		return err
	}
	cut := m.Clone()
	if err := split(cut); err != nil {
		return err
	}
	if err := ir.Verify(cut); err != nil {
		return err
	}
	names := map[string]tensor.Value{}
	for i, p := range cut.Main.Body.Params {
		names[p.Name] = in[i]
	}
	prog, err := partitioner.Make(cut, partitioner.Options{})
	if err != nil {
		return err
	}
	s := interpret.New(prog, seed, nil)
	if err := s.Run(names); err != nil {
		return fmt.Errorf("%w\n%s", err, partitioner.Print(prog))
	}
	got := map[string]tensor.Value{}
	for name, v := range s.Emitted {
		got[strings.SplitN(name, ".", 3)[2]] = v[len(v)-1]
	}
	for i, v := range m.Main.Body.Results {
		if err := compare.Values(got[v.Name], want[i], compare.Tolerance{}); err != nil {
			return fmt.Errorf("output %q: %w\n%s", v.Name, err, partitioner.Print(prog))
		}
	}
	return nil
}
