package train

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/cmd/cmdtest"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/train"
)

// replayer is the program of a case in the tests of this file. It copies what the case has recorded, unless there is a file
// with an error.
func replayer(dir, out string) int {
	if why, err := os.ReadFile(filepath.Join(dir, "error")); err == nil {
		fmt.Fprintln(os.Stderr, string(why))
		return 1
	}
	b, err := os.ReadFile(filepath.Join(dir, "losses.json"))
	if err == nil {
		err = os.WriteFile(filepath.Join(out, "losses.json"), b, 0o666)
	}
	if err != nil {
		return 1
	}
	return 0
}

// adam is a recorded training.
const adam = `{"optimizer": "Adam", "loss": "MSELoss sum", "losses": [2, 1],
	"config": {"lr": 0.5, "betas": [0.8, 0.9], "eps": 0.001, "weight_decay": 0.25, "amsgrad": true, "maximize": false, "decoupled_weight_decay": true}}`

// TestRecordedOptions reads how PyTorch has trained: what it calls Adam with decoupled decay is AdamW.
func TestRecordedOptions(t *testing.T) {
	dir := t.TempDir()
	got, err := recordedOptions(cmdtest.File(t, dir, "losses.json", adam))
	if err != nil {
		t.Fatal(err)
	}
	want, err := train.NewOptimizer("adam")
	if err != nil {
		t.Fatal(err)
	}
	want.Name, want.Rate, want.Beta1, want.Beta2, want.Epsilon, want.Decay, want.AMSGrad = "adamw", 0.5, 0.8, 0.9, 0.001, 0.25, true
	if !reflect.DeepEqual(got.Optimizer, want) || !got.Gradients || got.Loss.Name != "mse" || got.Loss.Reduction != "sum" {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for text, want := range map[string]string{
		"{":                                   "unexpected end of JSON",
		`{"optimizer": "Odd"}`:                "odd",
		`{"optimizer": "SGD", "loss": "Odd"}`: `no loss "Odd"`,
	} {
		file := cmdtest.File(t, dir, "losses.json", text)
		if _, err := recordedOptions(file); err == nil || !strings.HasPrefix(err.Error(), file+": ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s: … %s", text, err, file, want)
		}
	}
}

// TestReplayCommand builds the program of a case and runs it on the case. Tensors of a step that are no inputs are targets.
func TestReplayCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	cmdtest.Toolchain(t, "")
	model := line(t)
	if err := os.MkdirAll(filepath.Join("case", "steps", "000"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(model, filepath.Join("case", "model.onnx")); err != nil {
		t.Fatal(err)
	}
	cmdtest.File(t, "case", "losses.json", adam)
	for _, name := range []string{"x.pb", "goal.pb"} {
		cmdtest.File(t, filepath.Join("case", "steps", "000"), name, "")
	}
	m, err := onnx.ReadFile(filepath.Join("case", "model.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	if targets, err := recordedTargets(m, filepath.Join("case", "steps")); err != nil || !reflect.DeepEqual(targets, []string{"goal"}) {
		t.Errorf("the targets are %v, %v, want goal", targets, err)
	}
	if out, _, err := cmdtest.Run(t, Command(), "--replay", "case", "-o", "out"); err != nil || out != "" {
		t.Fatalf("got %q, %v", out, err)
	}
	if b, err := os.ReadFile(filepath.Join("out", "losses.json")); err != nil || string(b) != adam {
		t.Errorf("the program has written %s, %v", b, err)
	}
	cmdtest.File(t, "case", "error", "step 3 has no x")
	cmdtest.Refuse(t, Command, cmdtest.Refusal{Args: []string{"--replay", "case", "-o", "out"}, Want: "case: step 3 has no x"})
	if err := os.RemoveAll(filepath.Join("case", "steps")); err != nil {
		t.Fatal(err)
	}
	cmdtest.Refuse(t, Command, cmdtest.Refusal{Args: []string{"--replay", "case", "-o", "out"}, Want: "there are no steps"})
}
