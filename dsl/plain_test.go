package dsl_test

import (
	"strings"
	"testing"

	"github.com/bbgen/bbgen/artifact/keys"
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestPlain shows the record of a plain model: weights are initializers with their names, constants are
// frozen, and names of values contain the parts.
func TestPlain(t *testing.T) {
	golden.Run(t, "testdata/model/plain.txtar", func(t *testing.T, a *golden.Archive) {
		m, err := dsl.Plain("small", func(g *dsl.Graph) {
			w := tensor.Of([]float32{1, 2, 3, 4}, 2, 2)
			x := g.Input("x", dsl.Float32("batch", 2))
			h := g.Within("first").MatMul(x, g.Weight("first.weight", w))
			h = g.Within("second").Within("0").MatMul(h, g.Weight("first.weight", w))
			g.Output("y", g.Mul(h, g.Const([]float32{0.5, 2})))
			g.Output("same", x)
			g.Output("half", g.Scalar(x, 0.5))
		})
		if err != nil {
			t.Fatal(err)
		}
		a.Check("out/record", ir.Print(m))
		b, err := onnx.Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		back, err := onnx.Decode("small.onnx", b, nil)
		if err != nil {
			t.Fatal(err)
		}
		if names, err := back.Names(keys.Frozen); err != nil || len(names) != 2 {
			t.Errorf("frozen are %q, %v, want both constants", names, err)
		}
	})
}

// TestPlainMistakes shows the errors of nodes that a plain model cannot have.
func TestPlainMistakes(t *testing.T) {
	w := tensor.Of([]float32{1, 2}, 2)
	for want, body := range map[string]func(g *dsl.Graph){
		"has no outputs":                      func(g *dsl.Graph) {},
		"a plain model runs on no peer":       func(g *dsl.Graph) { g.Output("time", g.Clock()) },
		`there is another value of that name`: func(g *dsl.Graph) { g.Weight("w", w); g.Weight("w", tensor.Of([]float32{1}, 1)) },
		"want a name and a tensor":            func(g *dsl.Graph) { g.Weight("w", nil) },
		"body/0: MatMul: ": func(g *dsl.Graph) {
			g.Within("body").Within("0").MatMul(g.Const([]float32{1, 2}), g.Const([]float32{1}))
		},
		"head: the layer has 3 heads":           func(g *dsl.Graph) { g.Within("head").Fail("the layer has %d heads", 3) },
		"plain_test.go":                         func(g *dsl.Graph) { g.Fail("x") },
		"panic: runtime error: index out of ra": func(g *dsl.Graph) { _ = g.Input("x", dsl.Float32()).Shape()[1] },
	} {
		_, err := dsl.Plain("wrong", body)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// Weighty has a weight, which a program only allows in the slots of models.
type Weighty struct{}

func (Weighty) Body(g *dsl.Graph) { g.Output("w", g.Weight("w", tensor.Of([]float32{1}, 1))) }

// TestWeightInProgram checks that a program refuses weights of its own, and that the error gives the
// alternative.
func TestWeightInProgram(t *testing.T) {
	_, err := dsl.Build(dsl.Program{Name: "weighty", Modules: []dsl.Module{Weighty{}}})
	if err == nil || !strings.Contains(err.Error(), "bind a Model slot") {
		t.Errorf("got %v, want what to do instead", err)
	}
}
