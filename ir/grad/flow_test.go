package grad_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestFlow compares the gradients of whole graphs by their inputs with central
// differences.
func TestFlow(t *testing.T) {
	golden.Run(t, "testdata/flow.txtar", func(t *testing.T, a *golden.Archive) {
		for _, name := range a.Sections() {
			t.Run(strings.TrimSuffix(name, ".ir"), func(t *testing.T) { checkGraph(t, name, a.Get(name)) })
		}
	})
}

func checkGraph(t *testing.T, name, text string) {
	m, err := ir.Parse(name, text)
	if err != nil {
		t.Fatal(err)
	}
	if err := pass.Run(m, []*pass.Pass{pass.Infer}, nil); err != nil {
		t.Fatal(err)
	}
	var in []tensor.Value
	r := rand.New(rand.NewPCG(1, 2))
	for _, p := range m.Main.Body.Params {
		shape, _ := p.Type.Static()
		in = append(in, operand{kind: "x", shape: shape}.random(r))
	}
	b := &ir.Builder{Module: m, Infer: op.Inferrer{}, Prefix: "loss/"}
	y := lossOf(b, m.Main.Body.Results)
	m.Main.Body.Nodes = append(m.Main.Body.Nodes, b.Nodes...)
	checkOnce(t, &testCase{}, m, y, m.Main.Body.Params, in)
}
