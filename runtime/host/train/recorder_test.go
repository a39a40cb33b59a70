package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/component/dataset"
	"github.com/bbgen/bbgen/runtime/host/tensorboard/eventtest"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// spy is a recorder that records its calls.
type spy struct {
	*Training
	lines  []Line
	closed []error
	look   func(l *Line)
}

func (s *spy) Begin(t *Training) error { s.Training = t; return nil }
func (s *spy) Flush() error            { return nil }
func (s *spy) Close(why error) error   { s.closed = append(s.closed, why); return nil }

func (s *spy) Record(l *Line) error {
	s.lines = append(s.lines, *l)
	if s.look != nil {
		s.look(l)
	}
	return nil
}

// TestGradientNorm compares the norms with the gradients of a step in two halves.
func TestGradientNorm(t *testing.T) {
	p := split(nil)
	var session *halves
	begin := p.New
	p.New = func(seed uint64) (model.TrainSession, error) {
		s, err := begin(seed)
		session = s.(*halves)
		return s, err
	}
	s := &spy{}
	s.look = func(l *Line) {
		if l.Loss == nil {
			return
		}
		w, b := norm(tensor.Of(session.dw[:], 4)), norm(tensor.Of(session.db[:], 2))
		if l.Norm == nil || !(math.Abs(*l.Norm-math.Hypot(w, b)) <= 1e-12) || w == 0 {
			t.Fatalf("step %d: the norm is %v, want %v", l.Step, l.Norm, math.Hypot(w, b))
		}
		if got := s.Parameters(); len(got) != 2 || got[0].Name != "w" || got[0].GradientNorm != w || got[1].GradientNorm != b || &got[0].Value.Bytes()[0] != &tensor.Of(session.w, 4).Bytes()[0] {
			t.Fatalf("step %d: %+v, want the norms %v and %v", l.Step, got, w, b)
		}
	}
	opt := options(t, t.TempDir())
	opt.Recorders = []Recorder{s}
	if err := Run(t.Context(), p, points(100), opt); err != nil {
		t.Fatal(err)
	}
	if s.Total != 24 || s.Batch != 10 || s.Examples != 80 || s.Held != 20 || !slices.Equal(s.Names, []string{"below", "above"}) || len(s.closed) != 1 || s.closed[0] != nil {
		t.Errorf("it is told %+v and closed with %v", s.Training, s.closed)
	}

	whole := &spy{}
	opt = options(t, t.TempDir())
	opt.Recorders = []Recorder{whole}
	if err := Run(t.Context(), program(nil, nil), points(100), opt); err != nil {
		t.Fatal(err)
	}
	if whole.lines[0].Norm != nil || whole.Parameters()[0].GradientNorm != 0 {
		t.Error("a step that is whole has a norm of its gradients")
	}
}

// TestRecordersEnd checks that recorders get the error with which a training has ended.
func TestRecordersEnd(t *testing.T) {
	s := &spy{}
	opt := options(t, t.TempDir())
	opt.Recorders = []Recorder{s}
	err := Run(t.Context(), program(func(n int) error {
		if n == 3 {
			return errKilled
		}
		return nil
	}, nil), points(100), opt)
	if !errors.Is(err, errKilled) || len(s.closed) != 1 || !errors.Is(s.closed[0], errKilled) {
		t.Errorf("the training ends with %v, its recorder with %v", err, s.closed)
	}
}

// TestRecordersEndBeforeStep: recorders that have begun are closed if the peers find that they cannot train together.
func TestRecordersEndBeforeStep(t *testing.T) {
	s := &spy{}
	errs, _ := runTogether(t.Context(), 2, teamOptions(t, t.TempDir()), calmly, func(rank int, opt *Options) {
		if opt.Seed += uint64(rank); rank == 0 {
			opt.Recorders = []Recorder{s}
		}
	})
	if !errors.Is(errs[0], errDifferent) || s.Training == nil || len(s.closed) != 1 || !errors.Is(s.closed[0], errDifferent) {
		t.Errorf("the training ends with %v, its recorder with %v", errs[0], s.closed)
	}
}

// eventFiles returns the event files in a folder, as text.
func eventFiles(t *testing.T, dir string) (out []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		out = append(out, eventtest.Text(t, filepath.Join(dir, f.Name())))
	}
	return out
}

var scalar = regexp.MustCompile(`step (\d+)|tag "(.*)"\n *simple_value (.*)`)

// TestTensorBoard compares an event file with the metrics.
func TestTensorBoard(t *testing.T) {
	dir := t.TempDir()
	opt := options(t, dir)
	opt.TensorBoard = filepath.Join(dir, "runs")
	if err := Run(t.Context(), split(nil), points(100), opt); err != nil {
		t.Fatal(err)
	}
	var want []string
	b, err := os.ReadFile(opt.Metrics)
	if err != nil {
		t.Fatal(err)
	}
	for text := range strings.Lines(string(b)) {
		var l Line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		add := func(tag string, x *float64) {
			if x != nil {
				want = append(want, fmt.Sprintln(l.Step, tag, float32(*x)))
			}
		}
		add("loss/train", l.Loss)
		add("loss/validation", l.ValLoss)
		add("accuracy/validation", l.Accuracy)
		add("learning_rate", l.Rate)
		add("gradient_norm", l.Norm)
		if l.Speed > 0 {
			add("examples_per_second", &l.Speed)
		}
	}
	files := eventFiles(t, opt.TensorBoard)
	var got []string
	step := ""
	for _, m := range scalar.FindAllStringSubmatch(files[0], -1) {
		if m[1] != "" {
			step = m[1]
			continue
		}
		got = append(got, fmt.Sprintln(step, m[2], m[3]))
	}
	if len(want) < 24*4 || !slices.Equal(got, want) {
		t.Errorf("the event file has\n%v\nwant\n%v", got, want)
	}
	// At the begin, after steps 5, 10, 15 and 20, and in the end.
	if n := strings.Count(files[0], `tag "parameters/w"`); n != 6 {
		t.Errorf("%d histograms of w, want 6", n)
	}
}

// TestTensorBoardResume checks that the file of a resumed training replaces the entries after its checkpoint.
func TestTensorBoardResume(t *testing.T) {
	opt := options(t, t.TempDir())
	opt.TensorBoard = t.TempDir()
	err := Run(t.Context(), program(func(n int) error {
		if n == 12 {
			return errKilled
		}
		return nil
	}, nil), points(100), opt)
	if !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	opt.Resume = true
	if err := Run(t.Context(), program(nil, nil), points(100), opt); err != nil {
		t.Fatal(err)
	}
	files := eventFiles(t, opt.TensorBoard)
	if len(files) != 2 || strings.Contains(files[0], "step 12\n") || !strings.Contains(files[0], "step 11\n") {
		t.Fatalf("%d files, the first is\n%s", len(files), files[0])
	}
	if want := "  step 11\n  session_log {\n    status 1\n"; !strings.Contains(files[1], want) {
		t.Errorf("the second begins with\n%.300s\nwant in it\n%s", files[1], want)
	}
	if strings.Contains(files[0], "step 11\n  session_log") || !strings.Contains(files[1], "step 24\n") {
		t.Errorf("the second goes on with\n%s", files[1])
	}
}

// TestSamples shows held-back images, in their order, with predictions. An image whose label does not count is
// left out.
func TestSamples(t *testing.T) {
	set := points(100)
	x, y := tensor.New(tensor.Float32, 12, 1, 1, 2), tensor.New(tensor.Int64, 12)
	for i := range 12 {
		copy(tensor.Data[float32](x)[2*i:], []float32{0.1 * float32(i), 0})
		tensor.Data[int64](y)[i] = int64(i % 2)
	}
	tensor.Data[int64](y)[3] = -1
	var err error
	if set.Val, err = dataset.NewMemory(x, y, tensor.Float32, tensor.Int64); err != nil {
		t.Fatal(err)
	}
	s := &spy{}
	opt := options(t, t.TempDir())
	opt.Recorders, opt.Batch = []Recorder{s}, 20
	p := program(nil, nil)
	p.Ignored = []int{-1}
	p.New = func(uint64) (model.TrainSession, error) { return &ignoring{}, nil }
	if err := Run(t.Context(), p, set, opt); err != nil {
		t.Fatal(err)
	}
	for _, l := range s.lines {
		if l.ValLoss == nil {
			continue
		}
		if len(l.Samples) != 11 {
			t.Fatalf("%d samples, want 11", len(l.Samples))
		}
		for k, sample := range l.Samples {
			i := k
			if k >= 3 {
				i++
			}
			said := []string{"below", "above"}[i/6]
			label := []string{"below", "above"}[i%2]
			if sample.Pixels[0] != 0.1*float32(i) || sample.Label != label || sample.Said != said || sample.Right != (label == said) {
				t.Errorf("sample %d is %+v, want the example %d, %s taken for %s", k, sample, i, label, said)
			}
		}
	}
	if len(s.lines) == 0 {
		t.Error("nothing is told")
	}
}

// ignoring is a session that learns nothing, and predicts class 1 if the first feature is above 0.55.
type ignoring struct{ x []float32 }

func (s *ignoring) SetInput(i int, v tensor.Value) error {
	if i == 0 {
		s.x = tensor.Data[float32](v.(*tensor.Tensor))
	}
	return nil
}
func (*ignoring) Step(float64) (float64, error) { return 1, nil }
func (*ignoring) Eval() (float64, error)        { return 1, nil }
func (*ignoring) State() []model.Variable       { return nil }

func (s *ignoring) Output(int) tensor.Value {
	out := make([]float32, len(s.x))
	for i := 0; i < len(out); i += 2 {
		out[i+1] = s.x[i] - 0.55
	}
	return tensor.Of(out, len(out)/2, 2)
}
