package train

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
)

// noisy is a model with dropout, so that its forward pass is not that of the evaluation.
const noisy = `
module "noisy"
opset 20

func @main(%x: float32[4,2]) -> (%y) {
  const %w: float32[2,2] = [[1, 2], [3, 4]]
  const %ratio: float32[] = 0.5
  const %yes: bool[] = true
  %a = MatMul(%x, %w)
  %y, _ = Dropout(%a, %ratio, %yes)
}
`

// TestInnerPasses: a fault that a pass leaves is found at once, also if the pass runs inside of this package.
func TestInnerPasses(t *testing.T) {
	sgd := Optimizer{Name: "sgd", Rate: 0.1}
	build := func(opt Options) func(m *ir.Module) error {
		return func(m *ir.Module) error {
			_, err := Build(m, opt)
			return err
		}
	}
	stages := func(m *ir.Module) error {
		_, _, err := Prepare(m, Options{Loss: Loss{Name: "mse"}, Optimizer: sgd})
		return err
	}
	model := []*pass.Pass{pass.Inline, pass.Infer, pass.Gradient, pass.Fold, pass.Recognize, pass.DCE}
	for _, c := range []struct {
		name, model string
		do          func(m *ir.Module) error
		passes      []*pass.Pass
		calls       int // of pass.DCE, which runs on each graph
	}{
		{"a step", noisy, build(Options{Loss: Loss{Name: "mse"}, Optimizer: sgd}), model, 1},
		{"a split step", noisy, build(Options{Loss: Loss{Name: "mse"}, Optimizer: sgd, Split: true}), model, 2},
		{"a part of a network", noisy, build(Options{Backward: true, Optimizer: sgd}), model, 2},
		{"stages", noisy, stages, []*pass.Pass{pass.Inline, pass.Infer, pass.Gradient, pass.Fold, pass.DCE}, 1},
		{"the file's algorithm", ownAlgorithm, build(Options{}), []*pass.Pass{pass.Infer, pass.Gradient, pass.DCE}, 2},
	} {
		for _, p := range c.passes {
			calls := 1
			if p == pass.DCE {
				calls = c.calls
			}
			for k := range calls {
				if got, want := spoilt(t, p, k, c.model, c.do), "BUG: after pass "+p.Name+":"; !strings.HasPrefix(got, want) {
					t.Errorf("%s: a fault of %s in its call %d: got %q, want %q", c.name, p.Name, k, got, want)
				}
			}
		}
	}
}

// spoilt builds a trainer with a pass that leaves a fault in one of its calls. It returns the panic, or "".
func spoilt(t *testing.T, p *pass.Pass, call int, model string, do func(m *ir.Module) error) (text string) {
	t.Helper()
	m, err := ir.Parse("in.ir", model)
	if err != nil {
		t.Fatal(err)
	}
	was := p.Run
	p.Run = func(c *pass.Context, m *ir.Module) error {
		err := was(c, m)
		if call == 0 {
			m.Main.Body.Nodes = append(m.Main.Body.Nodes, &ir.Node{Name: "fault"}) // without an operator
		}
		call--
		return err
	}
	defer func() {
		p.Run = was
		if r := recover(); r != nil {
			text = fmt.Sprint(r)
		}
	}()
	if err := do(m); err != nil {
		t.Fatal(err)
	}
	return ""
}
