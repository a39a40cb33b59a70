package train

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/component/dataset"
	"github.com/bbgen/bbgen/runtime/component/schedule"
	"github.com/bbgen/bbgen/runtime/host/lockfile"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// options trains 3 epochs of 8 steps, and writes all kinds of files to dir.
func options(t *testing.T, dir string) Options {
	s, err := schedule.Parse("cosine,warmup=5")
	if err != nil {
		t.Fatal(err)
	}
	return Options{
		Epochs: 3, Batch: 10, Seed: 7, Schedule: s, EvalEvery: 5,
		Checkpoint: filepath.Join(dir, "ck"), Every: 3,
		Metrics: filepath.Join(dir, "metrics"), Best: filepath.Join(dir, "best"), Output: filepath.Join(dir, "out"),
	}
}

// results returns the files of a training, without the times in them.
func results(t *testing.T, dir string) map[string]string {
	out := map[string]string{}
	for _, name := range []string{"metrics", "best", "out", "ck/" + checkpointFile} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		out[name] = string(b)
	}
	var lines []string
	for text := range strings.Lines(out["metrics"]) {
		var l Line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		l.Speed, l.Summed, l.Waited = 0, 0, 0
		b, _ := json.Marshal(l)
		lines = append(lines, string(b))
	}
	out["metrics"] = strings.Join(lines, "\n")
	return out
}

// validations returns the lines of a training's output about validations.
func validations(said string) []string {
	var out []string
	for line := range strings.Lines(said) {
		if strings.HasPrefix(line, "epoch ") {
			out = append(out, strings.TrimSuffix(line, "\n"))
		}
	}
	return out
}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	opt := options(t, dir)
	var stdout strings.Builder
	opt.Stdout = &stdout
	opt.Epochs = 40
	if err := Run(t.Context(), program(nil, nil), points(100), opt); err != nil {
		t.Fatal(err)
	}
	if want := "80 examples to learn from, 20 held back\n40 epochs, 320 steps of 10 examples: cross_entropy by momentum\nepoch 1 "; !strings.HasPrefix(stdout.String(), want) {
		t.Errorf("it begins with %.200q, want %q", &stdout, want)
	}
	if want := regexp.MustCompile(`\nbest: step \d+, val loss 0\.\d{4}\n$`); !want.MatchString(stdout.String()) {
		t.Errorf("it ends with %q, want %v", stdout.String()[max(0, stdout.Len()-100):], want)
	}
	lines := validations(stdout.String())
	if want := "epoch 40  step 320  loss 0."; len(lines) != 64 || !strings.HasPrefix(lines[63], want) || !strings.Contains(lines[63], "val loss 0.") || !strings.Contains(lines[63], "accuracy 100.00 %") {
		t.Errorf("%d lines, the last is %q, want 64 and %s…", len(lines), lines[len(lines)-1], want)
	}
	got := results(t, dir)["metrics"]
	for _, want := range []string{`{"step":1,"epoch":1,"loss":0.`, `"lr":0.02}`, `{"step":5,"epoch":1,"val_loss":0.`, `"val_accuracy":`} {
		if !strings.Contains(got, want) {
			t.Errorf("metrics are\n%.400s\nwant in them %s", got, want)
		}
	}
	f, err := readTensors(opt.Output)
	if err != nil {
		t.Fatal(err)
	}
	state := f.Tensors
	if len(state) != 2 || state["w"].String() != "float32[2,2]" || f.Metadata["names"] != `["below","above"]` || f.Metadata["step"] != "320" {
		t.Errorf("weights are %v, metadata %v", state, f.Metadata)
	}
	ck, err := readTensors(filepath.Join(opt.Checkpoint, checkpointFile))
	if err != nil {
		t.Fatal(err)
	}
	if !tensor.Equal(state["b"], ck.Tensors["b.average"]) || tensor.Equal(state["b"], ck.Tensors["b"]) {
		t.Error("the average of b is not written in its place")
	}
}

// TestFixedBatch has a model with batches of 8, which do not divide the held-back examples: each is evaluated
// exactly once.
func TestFixedBatch(t *testing.T) {
	p := program(nil, nil)
	p.Inputs[0].Dims, p.Targets[0].Dims = []string{"8", "2"}, []string{"8"}
	set := points(100)
	set.Val = points(21).Train
	tr, err := newTrainer(p, set, Options{Epochs: 1})
	if err != nil {
		t.Fatal(err)
	}
	tr.progress = newProgress(tr.opt.Stderr, 0, 1)
	loss, hits, judged, err := tr.evaluate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	whole, err := newTrainer(program(nil, nil), set, Options{Epochs: 1, Batch: set.Val.Len()})
	if err != nil {
		t.Fatal(err)
	}
	whole.progress = tr.progress
	want, allHits, all, err := whole.evaluate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if hits != allHits || judged != all || all%8 == 0 {
		t.Errorf("%d of %d labels are hit, want %d of %d", hits, judged, allHits, all)
	}
	if !(math.Abs(loss-want) <= 0.05*want) {
		t.Errorf("the loss is %v, want about %v", loss, want)
	}
}

// A training that is interrupted or dies at any time gives the same files after a resume, and the same output
// for the rest.
func TestResume(t *testing.T) {
	whole := t.TempDir()
	var said strings.Builder
	all := options(t, whole)
	all.Stdout = &said
	if err := Run(t.Context(), program(nil, nil), points(100), all); err != nil {
		t.Fatal(err)
	}
	want := results(t, whole)
	for _, c := range []struct {
		what string
		err  error // the session's error; nil means that ctx ends
		eval bool
	}{
		{"interrupted in a step", nil, false},
		{"interrupted in a validation", nil, true},
		{"killed in a step", errKilled, false},
		{"killed in a validation", errKilled, true},
	} {
		for at := 1; at <= 24; at++ {
			dir := t.TempDir()
			ctx, stop := context.WithCancel(t.Context())
			broken := func(n int) error {
				if n == at {
					stop()
					return c.err
				}
				return nil
			}
			p := program(broken, nil)
			if c.eval {
				p = program(nil, broken)
			}
			opt := options(t, dir)
			err := Run(ctx, p, points(100), opt)
			stop()
			if err == nil { // it had ended before
				continue
			}
			if c.err == nil && !errors.Is(err, ErrInterrupted) || c.err != nil && !errors.Is(err, errKilled) {
				t.Fatalf("%s %d: %v", c.what, at, err)
			}
			if _, err := os.Stat(filepath.Join(opt.Checkpoint, checkpointFile)); err == nil { // it may have died before the first checkpoint
				opt.Resume = true
			}
			var rest strings.Builder
			opt.Stdout = &rest
			if err := Run(t.Context(), program(nil, nil), points(100), opt); err != nil {
				t.Fatalf("%s %d, resumed: %v", c.what, at, err)
			}
			whole, tail := strings.Join(validations(said.String()), "\n"), strings.Join(validations(rest.String()), "\n")
			if !strings.HasSuffix(whole, tail) || tail == "" {
				t.Errorf("%s %d: it says\n%sof what ended so:\n%s", c.what, at, rest.String(), said.String())
			}
			for name, got := range results(t, dir) {
				if got != want[name] {
					t.Errorf("%s %d: %s differs:\n%s\nwant\n%s", c.what, at, name, got, want[name])
				}
			}
		}
	}
}

func TestResumeRefuses(t *testing.T) {
	dir := t.TempDir()
	opt := options(t, dir)
	if err := Run(t.Context(), program(nil, nil), points(100), opt); err != nil {
		t.Fatal(err)
	}
	opt.Resume = true
	opt.Seed = 8
	opt.Batch = 20
	file := filepath.Join(opt.Checkpoint, checkpointFile)
	want := file + ": --seed was 7, now 8\n--batch was 10, now 20"
	if err := Run(t.Context(), program(nil, nil), points(100), opt); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	opt = options(t, dir)
	opt.Resume = true
	p := program(nil, nil)
	inner := p.New
	p.New = func(seed uint64) (model.TrainSession, error) { s, err := inner(seed); return other{s}, err }
	want = file + `: "b" is no part of this training`
	if err := Run(t.Context(), p, points(100), opt); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if err := os.Truncate(file, 100); err != nil {
		t.Fatal(err)
	}
	if err := Run(t.Context(), program(nil, nil), points(100), opt); err == nil || !strings.Contains(err.Error(), "safetensors: header has") {
		t.Errorf("a broken checkpoint: %v", err)
	}
}

// other has less state.
type other struct{ model.TrainSession }

func (o other) State() []model.Variable { return o.TrainSession.State()[:1] }

func TestEarlyStop(t *testing.T) {
	opt := options(t, t.TempDir())
	var stdout strings.Builder
	opt.Stdout = &stdout
	opt.Epochs, opt.EarlyStop, opt.Rate = 100, 3, 1e-30 // no progress is made
	if err := Run(t.Context(), program(nil, nil), points(100), opt); err != nil {
		t.Fatal(err)
	}
	if want := "stopped after step 20: 3 validations without a better loss\nbest: step 5, val loss 0.7188\n"; !strings.HasSuffix(stdout.String(), want) {
		t.Errorf("printed %q, want %q in the end", &stdout, want)
	}
}

// TestDo runs command lines.
func TestDo(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	var csv strings.Builder
	csv.WriteString("a,b,class\n")
	for i := range 50 {
		fmt.Fprintf(&csv, "%d,%d,%d\n", i%7-3, i%5-2, i%2)
	}
	if err := os.Mkdir("sub", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"points.csv", "sub/points.csv"} {
		if err := os.WriteFile(name, []byte(csv.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	interrupt := func(n int) error {
		if n == 3 {
			self, err := os.FindProcess(os.Getpid())
			if err != nil {
				return err
			}
			return self.Signal(os.Interrupt)
		}
		return nil
	}
	for _, c := range []struct {
		args           string
		onStep         func(int) error
		code           int
		stdout, stderr string // prefixes
	}{
		{"-data points.csv -epochs 1 -batch 9 -o w -mean 0 -std 2", nil, 0, "45 examples to learn from, 5 held back\n1 epoch, 5 steps of 9 examples: cross_entropy by momentum\nepoch 1  step 5  loss ", ""},
		{"-data points.csv -epochs 1 -standardize -checkpoint d", nil, 0, "45 examples to learn from, 5 held back\n1 epoch, 1 step of 45 examples: ", ""},
		{"-data points.csv -eval -mean 0 -std 2", nil, 0, "50 examples  loss 0.", ""},
		{"-data points.csv -eval -json", nil, 0, `{"examples":50,"loss":0.`, ""},
		{"-data points.csv -epochs 1 -q -augment , -threads 1", nil, 0, "", ""},
		{"-data points.csv -steps 100000000 -checkpoint c -q", interrupt, 130, "interrupted after step ", ""},
		{"-data points.csv -folds 2 -steps 100000000", interrupt, 130, "", "linear.onnx: interrupted\n"},
		{"-data points.csv -find-lr -steps 10000000", interrupt, 130, "", "linear.onnx: interrupted\n"},
		{"-h", nil, 0, "Trains the model \"linear\", compiled by bbgen from linear.onnx, with cross_entropy by momentum.\n", ""},
		{"", nil, 2, "", "linear.onnx: what to learn from? give --data\n"},
		{"-data points.csv -schedule x", nil, 2, "", `linear.onnx: there is no schedule "x"; there are: constant`},
		{"-data points.csv -val-split 1", nil, 2, "", "linear.onnx: --val-split is 1, want a part from 0 to below 1\n"},
		{"-data points.csv -batch 0", nil, 2, "", "linear.onnx: --batch is 0, want at least 1\n"},
		{"-data points.csv -epochs 2 -steps 3", nil, 2, "", "linear.onnx: --steps counts batches in place of --epochs: give one or the other\n-h lists all flags.\n"},
		{"-data points.csv -standardize -mean 0 -std 1", nil, 2, "", "linear.onnx: --standardize computes what --mean and --std say: "},
		{"-data points.csv -json", nil, 2, "", "linear.onnx: --json is for --eval, --find-lr and --folds: --metrics FILE"},
		{"-data points.csv -columns a,c", nil, 1, "", "linear.onnx: points.csv: there is no column \"c\"; there are: a, b, class\n"},
		{"-data sub/points.csv -columns a,c", nil, 1, "", "linear.onnx: sub/points.csv: there is no column \"c\"; there are: a, b, class\n"},
		{"-data points.csv -batch -1", nil, 2, "", "linear.onnx: --batch is -1, want 0 or more\n"},
		{"-data points.csv -batch 46", nil, 1, "", "linear.onnx: 45 examples to learn from, fewer than a batch of 46: give a smaller --batch, or --val-split\n"},
		{"-data points.csv -columns a", nil, 1, "", "linear.onnx: x takes float32[batch,2], the data give examples of float32[1]: the columns a (--columns chooses some)\n"},
		{"-data points.csv -every -2", nil, 2, "", "linear.onnx: --every is -2, want 0 or more\n"},
		{"-data none.csv", nil, 1, "", "linear.onnx: stat none.csv: "},
		{"-data points.csv -label 1 -mean 1 -std 0", nil, 1, "", "linear.onnx: deviation 0, want more than 0\n"},
		{"-data points.csv -augment flip", nil, 1, "", "linear.onnx: augmentation is for images, the data are float32[2]\n"},
		{"-data points.csv -resume -checkpoint none", nil, 1, "", "linear.onnx: there is no checkpoint none/checkpoint.safetensors: begin without --resume, or name its folder with --checkpoint"},
	} {
		var stdout, stderr bytes.Buffer
		code := Do(program(c.onStep, nil), strings.Fields(c.args), &stdout, &stderr)
		if code != c.code || !strings.HasPrefix(stdout.String(), c.stdout) || !strings.HasPrefix(stderr.String(), c.stderr) || c.stderr == "" && stderr.Len() > 0 || c.stdout == "" && stdout.Len() > 0 {
			t.Errorf("%s: exit %d, printed %q and %q\nwant %d, %q and %q", c.args, code, &stdout, &stderr, c.code, c.stdout, c.stderr)
		}
	}
	var stdout bytes.Buffer
	Do(program(interrupt, nil), strings.Fields("-data points.csv -steps 100000000 -checkpoint c -q"), &stdout, &stdout)
	if want := " of 100000000: go on with --checkpoint c --resume\n"; !strings.HasSuffix(stdout.String(), want) {
		t.Errorf("interrupted, it printed %q, want %q in the end", &stdout, want)
	}
	for _, name := range []string{"w", "c/" + checkpointFile, "linear.checkpoint/" + checkpointFile} {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
}

// Two trainings never write one checkpoint: the second is refused, whether it begins or resumes, and the first
// continues undisturbed.
func TestOneAtATime(t *testing.T) {
	dir := t.TempDir()
	opt := options(t, dir)
	var refused []error
	first := program(func(n int) error {
		if n == 7 { // there is a checkpoint
			for _, resume := range []bool{false, true} {
				second := opt
				second.Resume = resume
				refused = append(refused, Run(t.Context(), program(nil, nil), points(100), second))
			}
		}
		return nil
	}, nil)
	if err := Run(t.Context(), first, points(100), opt); err != nil {
		t.Fatal(err)
	}
	want := "checkpoint " + opt.Checkpoint + " is in use by another process: "
	for _, err := range refused {
		if !errors.Is(err, lockfile.ErrInUse) || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), "--checkpoint") {
			t.Errorf("a second training: %v, want %s…", err, want)
		}
	}
	opt.Resume = true
	if err := Run(t.Context(), program(nil, nil), points(100), opt); err != nil {
		t.Errorf("after the first has ended: %v", err)
	}
}

// TestUnfinished: what is left of a checkpoint whose training was killed while it wrote it goes with the next one.
func TestUnfinished(t *testing.T) {
	opt := options(t, t.TempDir())
	if err := os.MkdirAll(opt.Checkpoint, 0o777); err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(opt.Checkpoint, unfinished(checkpointFile)+"123")
	if err := os.WriteFile(left, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Run(t.Context(), program(nil, nil), points(100), opt); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is still there: %v", left, err)
	}
}

// TestValidationNotFinite: an example that is held back with a NaN ends the training with an error that says so.
func TestValidationNotFinite(t *testing.T) {
	set := points(100)
	x, y := set.Val.Features().Tensor(1), set.Val.Labels().Tensor(1)
	tensor.Data[float32](x)[1] = float32(math.NaN())
	var err error
	if set.Val, err = dataset.NewMemory(x, y, tensor.Float32, tensor.Int64); err != nil {
		t.Fatal(err)
	}
	err = Run(t.Context(), program(nil, nil), set, options(t, t.TempDir()))
	if err == nil || !strings.Contains(err.Error(), "the loss of the examples that are held back is NaN") {
		t.Errorf("the training ends with %v", err)
	}
}

// When standard input ends, -until-eof has the effect of Ctrl-C.
func TestUntilEOF(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("points.csv", []byte("a,b,class\n"+strings.Repeat("1,2,0\n2,-1,1\n", 20)), 0o666); err != nil {
		t.Fatal(err)
	}
	in, ours, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer func(was *os.File) { os.Stdin = was }(os.Stdin)
	os.Stdin = in
	hangUp := func(n int) error {
		if n == 3 {
			return ours.Close()
		}
		return nil
	}
	var out bytes.Buffer
	code := Do(program(hangUp, nil), strings.Fields("-data points.csv -steps 100000000 -eval-every 100000000 -until-eof"), &out, &out)
	if code != 130 || !strings.Contains(out.String(), "\ninterrupted after step ") {
		t.Errorf("exit %d, printed %q", code, &out)
	}
}
