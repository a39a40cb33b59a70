package codegen_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/train"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestModel shows the code of small models.
func TestModel(t *testing.T) {
	golden.Run(t, "testdata/model_*.txtar", func(t *testing.T, a *golden.Archive) {
		c := bbgen.Config{Source: "small.onnx"}
		if a.Has("flags") {
			flags := strings.Fields(a.Get("flags"))
			c.Sidecar = slices.Contains(flags, "sidecar")
			if slices.Contains(flags, "golden") {
				c.Golden = []codegen.File{{Path: "testdata/0.in"}}
			}
		}
		show(t, a, compile(t, a, c).Files)
	})
}

// TestTrainer shows the code of small trainers. A word of the section train is an option.
func TestTrainer(t *testing.T) {
	golden.Run(t, "testdata/trainer_*.txtar", func(t *testing.T, a *golden.Archive) {
		opt := &train.Options{Loss: train.Loss{Name: "mse"}, Optimizer: train.Optimizer{Name: "sgd"}}
		for _, word := range strings.Fields(a.Get("train")) {
			switch word {
			case "backward":
				opt.Backward, opt.Loss = true, train.Loss{}
			case "split":
				opt.Split = true
			case "gradients":
				opt.InputGradients = true
			case "adam":
				opt.Optimizer.Name = "adam"
			case "accumulate":
				opt.Accumulate = 4
			case "float16":
				opt.Precision = tensor.Float16
			default:
				t.Fatalf("what is %s?", word)
			}
		}
		r := compile(t, a, bbgen.Config{Source: "small.onnx", Train: opt})
		r.Trainer.Slot = true // like that of a peer, which has one more type
		files, err := codegen.GenerateTrainer(r.Trainer, codegen.Options{Package: "model", Source: "small.onnx"})
		if err != nil {
			t.Fatal(err)
		}
		show(t, a, files)
	})
}

func compile(t *testing.T, a *golden.Archive, c bbgen.Config) *bbgen.Result {
	t.Helper()
	m, err := ir.Parse(a.Name, a.Get("in.ir"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := bbgen.Compile(m, c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
