package partitioner_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/conformance"
	"github.com/bbgen/bbgen/internal/randomgraph"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/partitioner"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// prepare makes a model ready for [partitioner.Parts] and for evaluation.
func prepare(t *testing.T, m *ir.Module) {
	t.Helper()
	if err := pass.Run(m, []*pass.Pass{pass.Inline, pass.Infer, pass.Expand, pass.Fold, pass.DCE}, nil); err != nil {
		t.Fatal(err)
	}
}

func never(*ir.Value) bool { return false }

// sameInParts returns an error unless the parts of a model, one after the other, have its results.
func sameInParts(m *ir.Module, stages int, in []tensor.Value) error {
	want, err := eval.Run(m.Main, in)
	if err != nil {
		return err
	}
	parts, _, err := partitioner.Parts(m, partitioner.SplitOptions{Stages: stages}, never)
	if err != nil {
		return &cutError{err}
	}
	var sent []tensor.Value
	for k, p := range parts {
		if err := ir.Verify(p.Module); err != nil {
			return fmt.Errorf("part %d: %w", k, err)
		}
		if len(sent) != p.Received {
			return fmt.Errorf("part %d receives %d values, and the one before sends %d", k, p.Received, len(sent))
		}
		for _, i := range p.Inputs {
			sent = append(sent, in[i])
		}
		if sent, err = eval.Run(p.Module.Main, sent); err != nil {
			return fmt.Errorf("part %d: %w", k, err)
		}
	}
	for i := range want {
		if err := compare.Values(sent[i], want[i], compare.Tolerance{}); err != nil {
			return err
		}
	}
	return nil
}

// cutError is the error of a model that cannot be cut.
type cutError struct{ error }

// TestPartsRandom cuts random graphs into parts, which together have the results of the graph, bit for bit.
func TestPartsRandom(t *testing.T) {
	cut, refused := 0, 0
	for seed := range uint64(60) {
		g := randomgraph.New(seed)
		m := g.Module()
		prepare(t, m)
		for stages := 2; stages <= 4 && stages <= len(m.Main.Body.Nodes); stages++ {
			err := sameInParts(m, stages, g.Inputs())
			if _, no := errors.AsType[*cutError](err); no {
				refused++
				continue
			}
			if err != nil {
				t.Fatalf("seed %d, %d stages: %v\n%s", seed, stages, err, ir.Print(m))
			}
			cut++
		}
	}
	if cut < 10*refused {
		t.Errorf("%d graphs are cut, and %d refused: want most of them to be cut", cut, refused)
	}
}

// TestPartsModels is [TestPartsRandom] for whole networks.
func TestPartsModels(t *testing.T) {
	for _, c := range conformance.List(t, conformance.Open(t, conformance.Models)) {
		t.Run(c.Name, func(t *testing.T) {
			m, err := onnx.Decode(c.Name, c.Model(t), nil)
			if err != nil {
				t.Fatal(err)
			}
			prepare(t, m)
			var in []tensor.Value
			for k := range m.Main.Body.Params {
				v, _, err := tensorio.DecodeTensor(c.Sets(t)[0].Inputs[k])
				if err != nil {
					t.Fatal(err)
				}
				in = append(in, v)
			}
			if err := sameInParts(m, 3, in); err != nil {
				t.Error(err)
			}
		})
	}
}

// parsed reads a graph.
func parsed(t *testing.T, text string) *ir.Module {
	t.Helper()
	m, err := ir.Parse("tied.ir", text)
	if err != nil {
		t.Fatal(err)
	}
	prepare(t, m)
	return m
}

// weights has a weight that two operators far from each other read.
const weights = `module "tied"
opset 21

func @main(%x: float32[batch,2]) -> (%y) {
  const %w: float32[2,2] = [1, 2, 3, 4]
  %a = MatMul(%x, %w) : ?
  %b = Relu(%a) : ?
  %c = Tanh(%b) : ?
  %d = Neg(%c) : ?
  %e = Abs(%d) : ?
  %y = MatMul(%e, %w) : ?
}
`

// TestPartsAlone refuses to cut between two readers of a constant that must be alone, and names both; otherwise the
// constant is in both parts.
func TestPartsAlone(t *testing.T) {
	m := parsed(t, weights)
	_, _, err := partitioner.Parts(m, partitioner.SplitOptions{Stages: 2}, func(v *ir.Value) bool { return v.Name == "w" })
	if err == nil || !strings.Contains(err.Error(), `both read "w"`) {
		t.Errorf("got %v, want an error that names the weight", err)
	}
	parts, stages, err := partitioner.Parts(m, partitioner.SplitOptions{Stages: 2}, never)
	if err != nil {
		t.Fatal(err)
	}
	for k, p := range parts {
		if n := len(p.Module.Main.Consts()); n != 1 {
			t.Errorf("part %d has %d weights, want 1", k, n)
		}
	}
	if a, b := stages.Stages[0].BytesOut, stages.Stages[1].BytesIn; a != b || a == 0 {
		t.Errorf("the first stage sends %d bytes, the second receives %d", a, b)
	}
}
