package bind_test

import (
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/bbgen/bbgen/internal/bind"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/partitioner"
)

// TestCalledOf: how a program calls the model in a slot decides which step is generated for it: with a loss, from the
// gradients of its outputs, with gradients of its inputs, or none.
func TestCalledOf(t *testing.T) {
	for _, c := range []struct{ file, class, slot, want string }{
		{"../../partitioner/testdata/cut_fedavg.txtar", "client", "model", "loss by TrainStep"},
		{"../../partitioner/testdata/cut_fedavg.txtar", "server", "model", "no step"},
		{"../../partitioner/testdata/cut_fedavg.txtar", "client", "data", "no step"},
		{"testdata/error_model.txtar", "client", "front", "gradients of outputs by Backward"},
		{"../../partitioner/testdata/cut_split_learning.txtar", "client", "bottom", "gradients of outputs by Backward"},
		{"../../partitioner/testdata/cut_split_learning.txtar", "server", "top", "loss by ComputeLoss, gradients of inputs"},
	} {
		a, err := txtar.ParseFile(c.file)
		if err != nil {
			t.Fatal(err)
		}
		var m *ir.Module
		for _, f := range a.Files {
			if f.Name == "in.ir" {
				m, err = ir.Parse(c.file, string(f.Data))
			}
		}
		if err == nil {
			err = pass.Run(m, pass.Pipeline, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		prog, err := partitioner.Make(m, partitioner.Options{Unbound: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range prog.Parts {
			if p.Class == c.class {
				if got := called(bind.CalledOf(p, c.slot)); got != c.want {
					t.Errorf("%s: %s.%s: got %s, want %s", c.file, c.class, c.slot, got, c.want)
				}
			}
		}
	}
}

// called describes calls.
func called(c bind.Called) string {
	text := "no step"
	switch {
	case c.Loss != nil:
		text = "loss by " + c.Loss.Op
	case c.Back != nil:
		text = "gradients of outputs by " + c.Back.Op
	}
	if (c.Trains() == nil) != (text == "no step") {
		text += ", which Trains does not say"
	}
	if c.Gradients {
		text += ", gradients of inputs"
	}
	if c.Halves {
		text += ", in two halves"
	}
	return text
}
