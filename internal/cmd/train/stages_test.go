package train

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/runtime/host/launch"
)

// TestStages trains a network in three stages, twice: the losses are those of one process with the whole batch, up to
// rounding, also with clipped gradients, and both trainings have the same weights.
func TestStages(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs and trains with them")
	}
	data := digitsIn(t)
	args := []string{"--lr", "0.002", "--steps", "12", "--eval-every", "6", "--clip-norm", "0.3", "--batch", "30"}
	train := func(more ...string) (dir string) {
		dir = t.TempDir()
		trained(t, new(job), data, dir, append(more, args...)...)
		return dir
	}
	one, three, again := train(), train("--stages", "3", "--micro-batches", "4"), train("--stages", "3", "--micro-batches", "4", "--threads", "2")
	want, got := metricsIn(t, one), metricsIn(t, three)
	if len(want) != len(got) || len(got) != 14 {
		t.Fatalf("%d lines, and %d of one process, want 14", len(got), len(want))
	}
	for i := range want {
		if d := math.Abs(want[i].Loss - got[i].Loss); !(d <= 1e-5) {
			t.Errorf("step %d: the loss is %v, and %v of one process", want[i].Step, got[i].Loss, want[i].Loss)
		}
	}
	if a, b := readFile(t, three, "ck/checkpoint.safetensors"), readFile(t, again, "ck/checkpoint.safetensors"); !bytes.Equal(a, b) {
		t.Error("two trainings in stages differ")
	}
}

// TestStagesShared trains a transformer whose file has one weight for all layers' norms, in three stages: the losses are
// those of one process, although several stages have that weight.
func TestStagesShared(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs and trains with them")
	}
	texts := filepath.Join(t.TempDir(), "text.txt")
	if err := os.WriteFile(texts, []byte(strings.Repeat("Stages are parts of a model, and micro-batches are parts of a batch. ", 200)), 0o666); err != nil {
		t.Fatal(err)
	}
	train := func(more ...string) []metric {
		dir := t.TempDir()
		args := []string{"--steps", "4", "--eval-every", "4", "--batch", "6", "--class-axis", "-1", "--clip-norm", "0.5"}
		trainedOf(t, "../../../examples/chartransformer/transformer.onnx", new(job), texts, dir, append(args, more...)...)
		return metricsIn(t, dir)
	}
	want, got := train(), train("--stages", "3", "--micro-batches", "4")
	for i := range want {
		if d := math.Abs(want[i].Loss - got[i].Loss); !(d <= 1e-5) {
			t.Errorf("step %d: the loss is %v, and %v of one process", want[i].Step, got[i].Loss, want[i].Loss)
		}
	}
}

// readFile returns the content of a file in dir.
func readFile(t *testing.T, dir, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestStagesLost kills the second of three stages: the training ends with an error that names it. With --resume it
// continues from the last checkpoint, and ends with the weights of a training that was not interrupted.
func TestStagesLost(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs and trains with them")
	}
	data, dir, straight := digitsIn(t), t.TempDir(), t.TempDir()
	args := []string{"--lr", "0.002", "--batch", "30", "--eval-every", "10", "--stages", "3"}
	killed := make(chan error, 1)
	j := &job{launched: func(f *launch.Fleet) {
		go func() {
			awaitStep(filepath.Join(dir, "metrics"), 25)
			killed <- f.Kill(1)
		}()
	}}
	cmd := j.command()
	var out, errs bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	all := append([]string{lenet, "--data", data, "--checkpoint", filepath.Join(dir, "ck"), "--metrics", filepath.Join(dir, "metrics"), "-o", filepath.Join(dir, "out.onnx")}, args...)
	cmd.SetArgs(append(all, "--steps", "1000000"))
	err := cmd.Execute()
	if _, failed := errors.AsType[cli.Failed](err); !failed {
		t.Errorf("the training ends with %v, want a failure", err)
	}
	if err := <-killed; err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(errs.String(), "stage 1 of 3 is lost") {
		t.Errorf("the errors are\n%s\nwant one that names stage 1", &errs)
	}
	validated := 0 // the step of the last validation
	for _, m := range metricsIn(t, dir) {
		if m.ValLoss != 0 {
			validated = m.Step
		}
	}
	steps := validated + 20
	resumed := trained(t, new(job), data, dir, append(args, "--steps", fmt.Sprint(steps), "--resume")...)
	// A checkpoint follows each validation: the stage may have been killed between the two.
	if !strings.Contains(resumed, fmt.Sprintf("of which %d are done", validated)) && !strings.Contains(resumed, fmt.Sprintf("of which %d are done", validated-10)) {
		t.Errorf("the last validation was at step %d; it continues with\n%s", validated, resumed)
	}
	trained(t, new(job), data, straight, append(args, "--steps", fmt.Sprint(steps))...)
	if a, b := readFile(t, straight, "ck/checkpoint.safetensors"), readFile(t, dir, "ck/checkpoint.safetensors"); !bytes.Equal(a, b) {
		t.Error("the resumed training has other weights than one without interruption")
	}
}

// TestStagesRefused gives flags that stages do not support: each is refused with an error that says what to do.
func TestStagesRefused(t *testing.T) {
	for want, args := range map[string][]string{
		"--stages is 1, want 2 or more":                        {"--stages", "1"},
		"one or the other":                                     {"--stages", "2", "--peers", "2"},
		"--micro-batches is for the stages":                    {"--micro-batches", "2"},
		"--micro-batches is 0":                                 {"--stages", "2", "--micro-batches", "0"},
		"--codec is for processes that share each batch":       {"--stages", "2", "--codec", "int8"},
		"--key is for --stages FILE":                           {"--stages", "2", "--key", "k.pem"},
		"--key is for --peers FILE or --stages FILE":           {"--key", "k.pem"},
		"give more micro-batches instead of accumulating":      {"--stages", "2", "--clip-norm", "1", "--accumulate", "2"},
		"give more micro-batches instead of a limit of memory": {"--stages", "2", "--memory", "2MB", "--bind", "batch=16"},
		"--bandwidth is of the network":                        {"--bandwidth", "1Gbit"},
		"without a loss scale":                                 {"--stages", "2", "--precision", "float16"},
		"--reduction sum does not go with --stages":            {"--stages", "2", "--reduction", "sum"},
		"13 stages of a model of 12 operators":                 {"--stages", "13"},
		"--find-lr writes no model and is for one process":     {"--stages", "2", "--find-lr"},
		"want a number of processes, or a file":                {"--stages", "none.json"},
	} {
		cmd := new(job).command()
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetOut(new(bytes.Buffer))
		cmd.SetErr(new(bytes.Buffer))
		cmd.SetArgs(append([]string{lenet, "--data", "digits"}, args...))
		if err := cmd.Execute(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", args, err, want)
		}
	}
}
