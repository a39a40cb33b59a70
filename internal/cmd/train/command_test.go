package train

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/artifact/keys"
	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/cmd/cmdtest"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/safetensors"
)

func TestMain(m *testing.M) { cmdtest.Main(m, trainer) }

// trainer is what the tests of this file build. It prints its arguments, and writes weights: 5 as those of the end, and in a
// training of 7 steps also 7 as the best ones. One of 13 steps fails, and one of 9 steps is interrupted.
func trainer(name string, args []string) int {
	if filepath.Base(name) == "replay" {
		return replayer(args[0], args[1])
	}
	fmt.Println(strings.Join(args, " "))
	switch {
	case slices.Contains(args, "-steps=13"):
		return 3
	case slices.Contains(args, "-steps=9") || slices.Contains(args, "-eval"):
		return 0
	}
	for i, a := range args {
		file, given := strings.CutPrefix(a, "-best=")
		switch {
		case a == "-o":
			writeWeights(args[i+1], 5)
		case given:
			writeWeights(file, 7)
		case a == "-best" && slices.Contains(args, "-steps=7"):
			writeWeights(args[i+1], 7)
		}
	}
	return 0
}

func writeWeights(file string, x float32) {
	f := &safetensors.File{Tensors: map[string]*tensor.Tensor{"w": tensor.Of([]float32{x, x}, 2, 1)}}
	b, err := f.Append(nil)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o777)
	}
	if err == nil {
		err = os.WriteFile(file, b, 0o666)
	}
	if err != nil {
		panic(err)
	}
}

// line writes a model that is a line.
func line(t *testing.T) string {
	t.Helper()
	return cmdtest.Model(t, ".", "line.onnx", "module \"line\"\nopset 21\nfunc @main(%x: float32[n,2]) -> (%y) {\n  const %w: float32[2,1] = [1, 2]\n  %y = MatMul(%x, %w)\n}\n")
}

// TestTrains: the trainer gets the flags that are its own, and the model gets the weights that it writes.
func TestTrains(t *testing.T) {
	for _, c := range []struct {
		steps  string
		args   []string
		weight float32 // in the written model; 0 if none is written
		told   string  // the last line
	}{
		{"2", []string{"-o", "out.onnx"}, 5, "wrote out.onnx, with the weights of the end"},
		{"7", []string{"-o", "out.onnx"}, 7, "wrote out.onnx, with the weights of the best validation"},
		{"7", []string{"-o", "out.onnx", "--best", "kept.safetensors"}, 7, "wrote out.onnx, with the weights of the best validation"},
		{"7", nil, 0, "no -o: the weights are in " + filepath.Join("line.checkpoint", "best.safetensors") + " alone; bbgen export line.onnx --weights "},
		{"2", nil, 0, "no -o: nothing is held back for validation, and the weights of the end are written nowhere"},
		{"9", []string{"-o", "out.onnx"}, 0, ""},
	} {
		t.Chdir(t.TempDir())
		cmdtest.Toolchain(t, "")
		data := cmdtest.File(t, ".", "points.csv", "a,b,y\n1,2,3\n")
		args := append([]string{line(t), "--data", data, "--loss", "huber", "--delta", "2", "--steps", c.steps, "--lr", "0.5"}, c.args...)
		out, _, err := cmdtest.Run(t, Command(), args...)
		if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		given, told, _ := strings.Cut(out, "\n")
		for _, want := range []string{"-data points.csv ", " -steps=" + c.steps + " ", " -lr=0.5", " -until-eof"} {
			if !strings.Contains(given, want) {
				t.Errorf("%q: the trainer has %q, want %q in it", args, given, want)
			}
		}
		if strings.Contains(given, "delta") {
			t.Errorf("%q: the trainer has a flag of the loss: %q", args, given)
		}
		if !strings.HasPrefix(told, c.told) || c.told == "" && told != "" {
			t.Errorf("%q: got %q, want %q", args, told, c.told)
		}
		checkWritten(t, c.weight)
	}
}

// checkWritten checks the weights of out.onnx, and that it names its loss.
func checkWritten(t *testing.T, weight float32) {
	t.Helper()
	if _, err := os.Stat("out.onnx"); err != nil && weight == 0 {
		return
	}
	m, err := onnx.ReadFile("out.onnx")
	if err != nil {
		t.Fatal(err)
	}
	if w := tensor.Data[float32](m.Main.Consts()[0].Const); !slices.Equal(w, []float32{weight, weight}) {
		t.Errorf("the model has the weights %v, want %v", w, weight)
	}
	if loss, err := m.Names(keys.Loss); err != nil || !slices.Equal(loss, []string{"huber", "delta=2"}) {
		t.Errorf("the model's loss is %v, %v", loss, err)
	}
}

// TestTrainerFails: its exit code becomes that of bbgen, and a build that fails is told.
func TestTrainerFails(t *testing.T) {
	t.Chdir(t.TempDir())
	model, data := line(t), cmdtest.File(t, ".", "points.csv", "a,b,y\n1,2,3\n")
	cmdtest.Toolchain(t, "")
	_, _, err := cmdtest.Run(t, Command(), model, "--data", data, "--loss", "mse", "--steps", "13", "-o", "out.onnx")
	if failed, ok := errors.AsType[cli.Failed](err); !ok || failed.Code != 3 {
		t.Errorf("got %v, want code 3", err)
	}
	if _, err := os.Stat("out.onnx"); err == nil {
		t.Error("a model is written")
	}
	cmdtest.Toolchain(t, "no space left on device")
	cmdtest.Refuse(t, Command, cmdtest.Refusal{Args: []string{model, "--data", data, "--loss", "mse"}, Want: "no space left on device"})
}

// TestRefusesFirst: flags that the trainer would refuse are refused before it is built, with the mistakes of both kinds of
// flags. A format that this command reads for it is none.
func TestRefusesFirst(t *testing.T) {
	t.Chdir(t.TempDir())
	model, data := line(t), cmdtest.File(t, ".", "points.csv", "a,b,y\n1,2,3\n")
	cmdtest.Toolchain(t, "it was built")
	for want, args := range map[string][]string{
		"--epochs is 0, want at least 1":                              {"--epochs", "0"},
		"--format is \"xml\", want one of ":                           {"--format", "xml", "--peers", "2"},
		"there is no schedule \"x\"":                                  {"--schedule", "x", "--peers", "2"},
		"--batch is 2, want at least one example for each of 3 peers": {"--batch", "2", "--peers", "3"},
		"--codec is for gradients that several peers send each other": {"--codec", "int8"},
		"--shard-replicas is for the parts of --shard-optimizer":      {"--shard-replicas", "1", "--peers", "3"},
		"--json is for --plan, --find-lr and --folds: --metrics FILE": {"--json"},
		"it was built": {"--batch", "2", "--codec", "int8", "--peers", "2"},
		"--lr-range is \"1\", want two rates above 0": {"--find-lr", "--lr-range", "1"},
	} {
		cmdtest.Refuse(t, Command, cmdtest.Refusal{Args: append([]string{model, "--data", data, "--loss", "mse"}, args...), Want: want, Usage: want != "it was built"})
	}
}

// TestDataFirst: data that cannot be read are an error before the trainer is built.
func TestDataFirst(t *testing.T) {
	t.Chdir(t.TempDir())
	model := line(t)
	cmdtest.File(t, ".", "broken.parquet", "PAR1")
	cmdtest.Toolchain(t, "it was built")
	for data, want := range map[string]string{"none": "--data: stat none: ", "broken.parquet": "broken.parquet: "} {
		cmdtest.Refuse(t, Command, cmdtest.Refusal{Args: []string{model, "--data", data, "--loss", "mse"}, Want: want})
		cmdtest.Refuse(t, EvalCommand, cmdtest.Refusal{Args: []string{model, "--data", data, "--loss", "mse"}, Want: want})
	}
}

// TestMachine: one of several machines has its key, its rank and its address, and the flags of the training.
func TestMachine(t *testing.T) {
	t.Chdir(t.TempDir())
	keys, roster := machines(t, 2)
	cmdtest.Toolchain(t, "")
	data := cmdtest.File(t, ".", "points.csv", "a,b,y\n1,2,3\n")
	out, _, err := cmdtest.Run(t, Command(), line(t), "--data", data, "--loss", "mse", "--peers", roster, "--key", keys[1], "--quiet")
	for _, want := range []string{"-key " + keys[1] + " -peers " + roster + " -rank 1 -listen /ip4/", " -log none -await trainer=1 -- -data points.csv ", " -q ", " -until-eof\n"} {
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("the trainer has %q, %v, want %q in it", out, err, want)
		}
	}
}

// TestPeerAlone: without data the trainer is built and kept.
func TestPeerAlone(t *testing.T) {
	t.Chdir(t.TempDir())
	cmdtest.Toolchain(t, "")
	out, _, err := cmdtest.Run(t, Command(), line(t), "--loss", "mse", "--peer", "trainer")
	if err != nil || out != "" {
		t.Errorf("got %q, %v", out, err)
	}
	if _, err := os.Stat("trainer"); err != nil {
		t.Error(err)
	}
}

// TestEvaluates: an evaluation has the loss of the training, and the flags of the trainer that concern it.
func TestEvaluates(t *testing.T) {
	t.Chdir(t.TempDir())
	cmdtest.Toolchain(t, "")
	model, data := line(t), cmdtest.File(t, ".", "points.csv", "a,b,y\n1,2,3\n")
	out, _, err := cmdtest.Run(t, EvalCommand(), model, "--data", data, "--loss", "mse", "--batch", "4")
	if err != nil || !strings.HasPrefix(out, "-data points.csv -eval -until-eof -checkpoint ") || !strings.HasSuffix(out, " -batch=4\n") {
		t.Errorf("got %q, %v", out, err)
	}
	cmdtest.Refuse(t, EvalCommand,
		cmdtest.Refusal{Args: []string{model}, Want: "what to judge it by? give --data DIR", Usage: true},
		cmdtest.Refusal{Args: []string{"none.onnx", "--data", data}, Want: "none.onnx"},
	)
}

// TestPrints shows what a step is without training.
func TestPrints(t *testing.T) {
	t.Chdir(t.TempDir())
	model := line(t)
	for want, args := range map[string][]string{
		"func @":           {"--dump", "train"},
		"arena":            {"--plan"},
		"\"arena_bytes\":": {"--plan", "--json", "--memory", "1MB"},
	} {
		out, _, err := cmdtest.Run(t, Command(), append([]string{model, "--loss", "mse", "--bind", "n=64"}, args...)...)
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("%q: got %v and no %q: %s", args, err, want, out)
		}
	}
}

// TestHow shows flags that are refused.
func TestHow(t *testing.T) {
	t.Chdir(t.TempDir())
	model := line(t)
	list := []cmdtest.Refusal{
		{Args: nil, Want: "what, and where to? give MODEL --data DIR -o OUT", Usage: true},
		{Args: []string{model}, Want: "what to learn from? give --data DIR, or --peer FILE", Usage: true},
		{Args: []string{model, "--data", "x", "--folds", "3", "-o", "y"}, Want: "--folds writes no model", Usage: true},
		{Args: []string{model, "--data", "x", "--best", model}, Want: "--best line.onnx would replace the input", Usage: true},
		{Args: []string{model, "--dump", "nowhere"}, Want: `--dump: there is no stage "nowhere" here; there are: `, Usage: true},
		{Args: []string{model, "--dump", "stages"}, Want: `--dump: there is no stage "stages" here; there are: import, train, `, Usage: true},
		{Args: []string{model, "--dump", "train", "--cpu", "z80"}, Want: `--cpu is "z80", want one of `, Usage: true},
		{Args: []string{"none.onnx", "--dump", "train"}, Want: "none.onnx"},
		{Args: []string{"none.onnx", "--plan"}, Want: "none.onnx"},
	}
	for want, args := range map[string][]string{
		`--class-weights: "x" is no number`:                            {"--class-weights", "1,x"},
		`--precision is "float8", want float32, bfloat16 or float16`:   {"--precision", "float8"},
		`--loss-scale is "-1", want a number above 0, dynamic or none`: {"--loss-scale=-1"},
		`--optimizer: `: {"--optimizer", "none"},
		`--set: there is no setting "beta3"; there are: amsgrad, beta1, beta2, `: {"--set", "beta3=1"},
		`--set: beta2 is "x", want a number`:                                     {"--set", "amsgrad,beta2=x"},
		`--set: amsgrad is "x", want true or false`:                              {"--set", "amsgrad=x"},
		`--group *.b: there is no setting "speed"; there are: decay, rate`:       {"--group", "*.b:speed=1"},
	} {
		list = append(list, cmdtest.Refusal{Args: append([]string{model, "--plan"}, args...), Want: want, Usage: true})
	}
	cmdtest.Refuse(t, Command, list...)
}

// TestOnce: what several processes report is told once, and the end of one that has reported its reason is not told again.
func TestOnce(t *testing.T) {
	var w strings.Builder
	log := &once{w: &w, said: map[string]bool{}}
	fmt.Fprint(log, "no data\nno data\n")
	fmt.Fprint(log, "no data\n")
	log.ended("trainer-1", "exit status 1: no data")
	log.ended("trainer-2", "signal: killed")
	log.ended("trainer-2", "signal: killed: ")
	if got, want := w.String(), "no data\ntrainer-2 has ended: signal: killed\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
