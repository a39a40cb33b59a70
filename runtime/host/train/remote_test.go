package train

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// distant is a session whose state is elsewhere: State has copies, which Pull and Push exchange with it.
type distant struct {
	*linear
	copies         []model.Variable
	pulls, pushes  int
	onPull, onPush error
}

func newDistant(l *linear) *distant {
	d := &distant{linear: l}
	for _, v := range l.State() {
		v.Value = v.Value.Clone()
		d.copies = append(d.copies, v)
	}
	return d
}

func (d *distant) State() []model.Variable { return d.copies }

func (d *distant) Pull() error {
	d.pulls++
	for i, v := range d.linear.State() {
		copy(d.copies[i].Value.Bytes(), v.Value.Bytes())
	}
	return d.onPull
}

func (d *distant) Push() error {
	d.pushes++
	for i, v := range d.linear.State() {
		copy(v.Value.Bytes(), d.copies[i].Value.Bytes())
	}
	return d.onPush
}

func (d *distant) Norms() []float64 { return []float64{3, 4} }

// distantProgram returns a program with such sessions, and a pointer to the last one.
func distantProgram(onStep func(int) error) (model.TrainProgram, **distant) {
	p, last := program(onStep, nil), new(*distant)
	inner := p.New
	p.New = func(seed uint64) (model.TrainSession, error) {
		s, err := inner(seed)
		*last = newDistant(s.(*linear))
		return *last, err
	}
	return p, last
}

// TestRemote trains with a session whose state is elsewhere. Files have the state as it is at that time, a resumed
// training continues with the one of the checkpoint, and both give the weights of a session with a state of its own.
func TestRemote(t *testing.T) {
	near := t.TempDir()
	if err := Run(t.Context(), program(nil, nil), points(100), options(t, near)); err != nil {
		t.Fatal(err)
	}
	want := results(t, near)["out"]
	dir := t.TempDir()
	opt := options(t, dir)
	p, last := distantProgram(func(n int) error {
		if n == 11 {
			return errKilled
		}
		return nil
	})
	if err := Run(t.Context(), p, points(100), opt); !errors.Is(err, errKilled) {
		t.Fatalf("got %v, want that it is killed", err)
	}
	if d := *last; d.pulls == 0 || d.pushes != 0 {
		t.Errorf("it pulls %d times for its checkpoints and pushes %d times", d.pulls, d.pushes)
	}
	opt.Resume = true
	p, last = distantProgram(nil)
	if err := Run(t.Context(), p, points(100), opt); err != nil {
		t.Fatal(err)
	}
	if d := *last; d.pushes != 1 {
		t.Errorf("the state of the checkpoint is pushed %d times, want once", d.pushes)
	}
	if results(t, dir)["out"] != want {
		t.Error("the weights are not those of a session with a state of its own")
	}
	text, err := os.ReadFile(opt.Metrics)
	if err != nil {
		t.Fatal(err)
	}
	var l Line
	first, _, _ := strings.Cut(string(text), "\n")
	if err := json.Unmarshal([]byte(first), &l); err != nil || l.Norm == nil || *l.Norm != 5 {
		t.Errorf("%v: the metrics begin with %s, want 5 as the norm of gradients with the norms 3 and 4", err, first)
	}
}

// TestRemoteFails: a session that cannot read or write its state ends the training with the reason.
func TestRemoteFails(t *testing.T) {
	gone := errors.New("stage 1 is lost")
	opt := options(t, t.TempDir())
	p, _ := distantProgram(nil)
	inner := p.New
	p.New = func(seed uint64) (model.TrainSession, error) {
		s, err := inner(seed)
		s.(*distant).onPull, s.(*distant).onPush = gone, gone
		return s, err
	}
	if err := Run(t.Context(), p, points(100), opt); !errors.Is(err, gone) {
		t.Errorf("got %v, want that the state cannot be read", err)
	}
	opt.Checkpoint = filepath.Join(t.TempDir(), "ck")
	if err := Run(t.Context(), program(nil, nil), points(100), opt); err != nil {
		t.Fatal(err)
	}
	opt.Resume = true
	if err := Run(t.Context(), p, points(100), opt); !errors.Is(err, gone) {
		t.Errorf("resumed: got %v, want that the state cannot be written", err)
	}
}

// TestNormOfGradients: it is the norm of all gradients as one vector, whatever their type, and unknown where JSON has no number
// for it.
func TestNormOfGradients(t *testing.T) {
	for _, c := range []struct {
		value *tensor.Tensor
		want  float64
	}{
		{tensor.Of([]float32{3, 4}, 2), 5},
		{tensor.Of([]float64{3, 4}, 2), 5},
		{tensor.Of([]float32{1e30, 0}, 2), 1e30},
		{tensor.Of([]int64{3}, 1), 0},
	} {
		if got := norm(c.value); !(math.Abs(got-c.want) <= 1e-6*c.want) {
			t.Errorf("the norm of %v is %v, want %v", c.value, got, c.want)
		}
	}
	for _, norms := range [][]float64{nil, {1, math.NaN()}, {math.Inf(1)}} {
		if got := (&trainer{norms: norms}).gradientNorm(); got != nil {
			t.Errorf("the norm of gradients with the norms %v is %v, want none", norms, *got)
		}
	}
	// Nobody reads norms: they are not computed.
	x := &trainer{norms: []float64{1}}
	x.noteGradients([]model.Variable{{Value: tensor.Of([]float32{7}, 1)}})
	if x.norms[0] != 1 {
		t.Errorf("without recorders the norms become %v", x.norms)
	}
}
