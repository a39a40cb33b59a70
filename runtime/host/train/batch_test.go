package train

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/bbgen/bbgen/runtime/component/dataset"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/npz"
)

// TestFit shows the conversion of examples for a port.
func TestFit(t *testing.T) {
	for _, c := range []struct {
		src  *tensor.Tensor // the first axis is that of examples
		elem tensor.DType
		dims []string
		want string
	}{
		{tensor.New(tensor.Float32, 2, 28, 28), tensor.Float32, []string{"n", "1", "28", "28"}, "float32[2,1,28,28]"},
		{tensor.New(tensor.Float32, 2, 28, 28), tensor.Float32, []string{"n", "784"}, "float32[2,784]"},
		{tensor.New(tensor.Float32, 2, 4), tensor.Float32, []string{"n", "width"}, "float32[2,4]"},
		{tensor.New(tensor.Int64, 2, 4), tensor.Int64, []string{"8"}, "x takes int64[8], the data give 8 examples of int64[4]"},
		{tensor.New(tensor.Int64, 2, 4), tensor.Int64, []string{"n*4"}, "int64[8]"},
		{tensor.New(tensor.Float32, 2, 3), tensor.Float32, []string{"n", "2"}, "x takes float32[n,2], the data give examples of float32[3]"},
		{tensor.New(tensor.Float32, 2, 3, 16, 16), tensor.Float32, []string{"n", "4"}, "x takes float32[n,4], the data give examples of float32[3,16,16]"},
		{tensor.New(tensor.Float32, 2, 8), tensor.Float32, []string{"n", "4"}, "x takes float32[n,4], the data give examples of float32[8]"},
		{tensor.New(tensor.Float32, 2, 5, 4), tensor.Float32, []string{"n", "4"}, "float32[10,4]"},
		{tensor.New(tensor.Float32, 2, 8), tensor.Float32, []string{"n*2", "4"}, "float32[4,4]"},
		{tensor.New(tensor.Float32, 2, 3), tensor.Float32, []string{"n", "a", "b"}, "x takes float32[n,a,b], the data give examples of float32[3]"},
		{tensor.Of([]float32{1, 2}, 2), tensor.Float16, []string{"n"}, "float16[2] [15360 16384]"},
		{tensor.Of([]int64{1, -2}, 2), tensor.Int32, []string{"n"}, "int32[2] [1 -2]"},
		{tensor.Of([]int64{1, 0}, 2), tensor.Float32, []string{"n", "3"}, "float32[2,3] [0 1 0 1 0 0]"},
		{tensor.Of([]float32{1, 3}, 2), tensor.Float32, []string{"n", "3"}, "label 3, want a class from 0 to 2"},
		{tensor.Of([]float32{1, 2}, 2), tensor.String, []string{"n"}, "data cannot become string"},
	} {
		got, err := fitted(c.src, model.Port{Name: "x", Elem: c.elem, Dims: c.dims}, fitTarget)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%v as %v%v: got %s, want %s", c.src, c.elem, c.dims, got, c.want)
		}
	}
}

// TestFitInput tests that a single feature is not a class number: only targets become vectors.
func TestFitInput(t *testing.T) {
	got, err := fitted(tensor.Of([]float32{1, 0}, 2), model.Port{Name: "x", Elem: tensor.Float32, Dims: []string{"n", "3"}}, fit)
	if want := "x takes float32[n,3], the data give examples of float32[]"; err == nil || err.Error() != want {
		t.Errorf("got %s and %v, want %s", got, err, want)
	}
}

func fitted(src *tensor.Tensor, port model.Port, kind func(dataset.Spec, model.Port) (*fitting, error)) (string, error) {
	f, err := kind(dataset.Spec{DType: src.DType, Shape: src.Shape[1:]}, port)
	if err != nil {
		return "", err
	}
	dst, err := f.tensor(src.Shape[0], src)
	if err != nil {
		return "", err
	}
	if err := f.convert(dst, src); err != nil || dst.DType == src.DType && f.oneHot == 0 {
		return dst.String(), err
	}
	return fmt.Sprint(dst, dst.Data), nil
}

// TestNotFinite finds the first example with numbers that make the loss NaN.
func TestNotFinite(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for _, c := range []struct {
		x, y *tensor.Tensor
		want int
	}{
		{tensor.Of([]float32{1, 2, 3, 4}, 2, 2), tensor.Of([]int64{1, 0}, 2), -1},
		{tensor.Of([]float32{1, 2, 3, nan}, 2, 2), tensor.Of([]int64{1, 0}, 2), 1},
		{tensor.Of([]float32{1, inf, 3, 4}, 2, 2), tensor.Of([]float32{1, 0}, 2), 0},
		{tensor.Of([]int64{1, 2}, 2), tensor.Of([]float32{1, nan}, 2), 1},
		{tensor.Of([]float32{}, 2, 0), tensor.Of([]int64{1, 0}, 2), -1},
	} {
		b := &batch{indices: make([]int, 2), x: c.x, y: c.y}
		if got := b.notFinite(); got != c.want {
			t.Errorf("%v and %v: got %d, want %d", c.x.Data, c.y.Data, got, c.want)
		}
	}
}

func TestCountHits(t *testing.T) {
	for _, c := range []struct {
		out, labels  *tensor.Tensor
		hits, judged int
	}{
		{tensor.Of([]float32{1, 2, 3, 0}, 2, 2), tensor.Of([]int64{1, 1}, 2), 1, 2},
		{tensor.Of([]float32{1, 2, 3, 0}, 2, 2), tensor.Of([]int64{1, -100}, 2), 1, 1},
		{tensor.Of([]float32{0, 1, 9, 0, 2, 1}, 1, 2, 3), tensor.Of([]int64{0, 0, 0}, 1, 3), 2, 3}, // classes on the axis after the batch
		{tensor.Of([]float32{0, 1, 9, 0, 2, 1}, 1, 3, 2), tensor.Of([]int32{1, 0, 0}, 1, 3), 3, 3}, // classes last
		{tensor.Of([]float32{1, 2}, 2), tensor.Of([]int64{1, 1}, 2), 0, 0},
	} {
		if hits, judged := countHits(c.out, c.labels, c.labels.Len(), nil); hits != c.hits || judged != c.judged {
			t.Errorf("%v, %v: %d of %d, want %d of %d", c.out, c.labels, hits, judged, c.hits, c.judged)
		}
	}
}

// several is a session with two inputs and two targets, which records its examples.
type several struct {
	linear
	given [4][]float64
	bad   []string
}

func (s *several) SetInput(i int, v tensor.Value) error {
	s.given[i] = s.given[i][:0]
	t := v.(*tensor.Tensor)
	for k := range t.Len() {
		switch d := t.Data.(type) {
		case []int32:
			s.given[i] = append(s.given[i], float64(d[k]))
		case []float64:
			s.given[i] = append(s.given[i], d[k])
		default:
			s.given[i] = append(s.given[i], element(t, k))
		}
	}
	return nil
}

// look records examples whose parts do not belong together: the mask is the number of the example, the feature
// 100 times that, the label and the weight follow.
func (s *several) look() {
	for k, n := range s.given[1] {
		if s.given[0][k] != 100*n || s.given[2][k] != float64(int(n)%3) || s.given[3][k] != n/8 {
			s.bad = append(s.bad, fmt.Sprint(n, s.given))
		}
	}
}

func (s *several) State() []model.Variable { return nil }

func (s *several) Step(float64) (float64, error) { s.look(); return 1, nil }

func (s *several) Eval() (float64, error) { s.look(); return 1, nil }

// TestSeveral trains a model with two inputs, and a loss with two targets, on arrays of these names.
func TestSeveral(t *testing.T) {
	port := func(name string, elem tensor.DType) model.Port {
		return model.Port{Name: name, Elem: elem, Type: elem.String() + "[batch]", Dims: []string{"batch"}}
	}
	s := &several{}
	p := model.TrainProgram{
		Name: "several", Loss: "mse", Optimizer: "sgd", Rate: 0.1,
		Inputs:  []model.Port{port("x", tensor.Float32), port("mask", tensor.Int32)},
		Targets: []model.Port{port("target", tensor.Int64), port("weight", tensor.Float64)},
		New:     func(uint64) (model.TrainSession, error) { return s, nil },
	}
	const n = 30
	arrays := map[string]*tensor.Tensor{"x": tensor.New(tensor.Float32, n), "y": tensor.New(tensor.Int64, n), "mask": tensor.New(tensor.Int64, n), "weight": tensor.New(tensor.Float32, n)}
	for i := range n {
		tensor.Data[float32](arrays["x"])[i] = 100 * float32(i)
		tensor.Data[int64](arrays["y"])[i] = int64(i % 3)
		tensor.Data[int64](arrays["mask"])[i] = int64(i)
		tensor.Data[float32](arrays["weight"])[i] = float32(i) / 8
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "a.npz")
	var b bytes.Buffer
	if err := npz.Write(&b, arrays); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	args := []string{"--data", file, "--epochs", "2", "--batch", "4", "--checkpoint", filepath.Join(dir, "ck")}
	if code := Do(p, args, &out, &errs); code != 0 || len(s.bad) > 0 || len(s.given[3]) == 0 {
		t.Errorf("exit code %d (%s), parts that do not belong together: %v", code, errs.String(), s.bad)
	}
}
