package train

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
)

// TestSteps shows the training steps, the evaluations, and other forward passes of small models. The section
// "how" has the options, a setting on each line.
func TestSteps(t *testing.T) {
	golden.Run(t, "testdata/step_*.txtar", func(t *testing.T, a *golden.Archive) {
		m, err := ir.Parse("in.ir", a.Get("in.ir"))
		if err != nil {
			t.Fatal(err)
		}
		opt, err := settings(a.Get("how"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := Build(m, opt)
		if err != nil {
			t.Fatal(err)
		}
		show(t, a, "out/step", p.Step)
		if p.Update != nil {
			show(t, a, "out/update", p.Update)
		}
		show(t, a, "out/eval", p.Eval)
		if p.Forward != nil {
			show(t, a, "out/forward", p.Forward)
		}
	})
}

// show checks a module after constants are folded and unused nodes are removed.
func show(t *testing.T, a *golden.Archive, section string, m *ir.Module) {
	t.Helper()
	if err := pass.Run(m, []*pass.Pass{pass.Fold, pass.CSE, pass.DCE}, nil); err != nil {
		t.Fatal(err)
	}
	if err := ir.VerifyShapes(m); err != nil {
		t.Error(err)
	}
	a.Check(section, ir.Print(m))
}

// settings reads a section "how".
func settings(text string) (o Options, err error) {
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		number, bad := strconv.ParseFloat(value, 64)
		switch name {
		case "":
			continue
		case "loss":
			o.Loss.Name, bad = value, nil
		case "reduction":
			o.Loss.Reduction, bad = value, nil
		case "optimizer":
			o.Optimizer, bad = NewOptimizer(value)
		case "clip_norm":
			o.ClipNorm = number
		case "clip_value":
			o.ClipValue = number
		case "average":
			o.Average = number
		case "accumulate":
			o.Accumulate = int(number)
		case "backward":
			o.Backward, bad = true, nil
		case "split":
			o.Split, bad = true, nil
		case "input_gradients":
			o.InputGradients, bad = true, nil
		default:
			bad = fmt.Errorf("no such setting")
		}
		if bad != nil {
			return o, fmt.Errorf("%s: %w", line, bad)
		}
	}
	return o, nil
}
