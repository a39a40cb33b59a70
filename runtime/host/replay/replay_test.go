package replay

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// line fits y = w·x: a training that can be followed by hand.
type line struct {
	model.TrainSession // methods that replay does not call
	x, y               float32
	w, grad, mean      *tensor.Tensor
}

func (l *line) SetInput(i int, v tensor.Value) error {
	x := tensor.Data[float32](v.(*tensor.Tensor))
	if len(x) != 1 {
		return errors.New("want one number")
	}
	*[]*float32{&l.x, &l.y}[i] = x[0]
	return nil
}

func (l *line) Step(rate float64) (float64, error) {
	w, g := tensor.Data[float32](l.w), tensor.Data[float32](l.grad)
	d := w[0]*l.x - l.y
	g[0] = d * l.x
	w[0] -= float32(rate) * g[0]
	tensor.Data[float32](l.mean)[0] = l.x
	return float64(d*d) / 2, nil
}

func (l *line) State() []model.Variable {
	return []model.Variable{
		{Name: "w", Kind: model.Weight, Value: l.w}, {Name: "w.grad", Kind: model.Private, Value: l.grad},
		{Name: "bn.running_mean", Kind: model.Buffer, Value: l.mean},
	}
}

func program() model.TrainProgram {
	return model.TrainProgram{Rate: 0.5, Inputs: []model.Port{{Name: "x"}}, Targets: []model.Port{{Name: "y"}}, New: func(uint64) (model.TrainSession, error) {
		return &line{w: tensor.Of([]float32{1}), grad: tensor.Of([]float32{0}), mean: tensor.Of([]float32{0})}, nil
	}}
}

// recorded is a case of two steps: x=1, y=3, and x=2, y=4.
func recorded(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, x := range map[string]float32{"steps/000/x.pb": 1, "steps/000/y.pb": 3, "steps/001/x.pb": 2, "steps/001/y.pb": 4} {
		put(t, filepath.Join(dir, name), tensorio.AppendTensor(nil, "", tensor.Of([]float32{x})))
	}
	put(t, filepath.Join(dir, "losses.json"), []byte(`{"model": "line", "losses": [9]}`))
	return dir
}

func put(t *testing.T, file string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestRun trains on a recording, and writes losses, the first gradients and the final weights and statistics.
func TestRun(t *testing.T) {
	out := t.TempDir()
	if err := Run(program(), recorded(t), out); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(out, "losses.json"))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Model  string
		Losses []float64
	}
	if err := json.Unmarshal(b, &got); err != nil || got.Model != "line" || len(got.Losses) != 2 || got.Losses[0] != 2 || got.Losses[1] != 0 {
		t.Errorf("losses are %s, %v; want 2 and 0 beside what stood there", b, err)
	}
	for name, want := range map[string]float64{"grads0/w": -2, "final/w": 2, "final/bn.running_mean": 2, "final/bn.num_batches_tracked": 2} {
		b, err := os.ReadFile(filepath.Join(out, filepath.FromSlash(name)+".pb"))
		if err != nil {
			t.Fatal(err)
		}
		v, _, err := tensorio.DecodeTensor(b)
		if err != nil {
			t.Fatal(err)
		}
		is := 0.0
		switch x := v.Data.(type) {
		case []float32:
			is = float64(x[0])
		case []int64:
			is = float64(x[0])
		}
		if is != want {
			t.Errorf("%s is %v, want %v", name, is, want)
		}
	}
}

// TestErrors checks that errors name their file.
func TestErrors(t *testing.T) {
	for want, spoil := range map[string]func(dir string) error{
		"there are no steps":         func(dir string) error { return os.RemoveAll(filepath.Join(dir, "steps")) },
		filepath.Join("000", "y.pb"): func(dir string) error { return os.Remove(filepath.Join(dir, "steps", "000", "y.pb")) },
		"x.pb: want one number": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "steps", "001", "x.pb"), tensorio.AppendTensor(nil, "", tensor.New(tensor.Float32, 2)), 0o666)
		},
		"losses.json: inv": func(dir string) error { return os.WriteFile(filepath.Join(dir, "losses.json"), []byte("x"), 0o666) },
	} {
		dir := recorded(t)
		if err := spoil(dir); err != nil {
			t.Fatal(err)
		}
		if err := Run(program(), dir, t.TempDir()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if err := write(t.TempDir(), "../w", tensor.Of([]float32{1})); err == nil {
		t.Error("a name leads out of the folder")
	}
}
