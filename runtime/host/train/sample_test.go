package train

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/npz"
)

// seen is a session that notes the labels of the examples in its steps.
type seen struct {
	several
	labels []int64
}

func (s *seen) SetInput(i int, v tensor.Value) error {
	if i == 1 {
		s.labels = append(s.labels, tensor.Data[int64](v.(*tensor.Tensor))...)
	}
	return nil
}

// TestSample: examples are drawn by the array of weights that --sample names, or such that classes come equally often.
// Those held back are not.
func TestSample(t *testing.T) {
	const n = 60
	x, y, weight := tensor.New(tensor.Float32, n), tensor.New(tensor.Int64, n), tensor.New(tensor.Float32, n)
	for i := range n {
		tensor.Data[int64](y)[i] = int64(min(i%6, 1)) // a sixth is of class 0
		tensor.Data[float32](weight)[i] = float32(1 - min(i%6, 1))
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "a.npz")
	var b bytes.Buffer
	if err := npz.Write(&b, map[string]*tensor.Tensor{"x": x, "y": y, "weight": weight}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (labels []int64, said string, code int) {
		s := &seen{}
		p := model.TrainProgram{
			Name: "several", Loss: "mse", Optimizer: "sgd", Rate: 0.1,
			Inputs:  []model.Port{{Name: "x", Elem: tensor.Float32, Dims: []string{"n"}}},
			Targets: []model.Port{{Name: "y", Elem: tensor.Int64, Dims: []string{"n"}}},
			New:     func(uint64) (model.TrainSession, error) { return s, nil },
		}
		var out, errs bytes.Buffer
		code = Do(p, append([]string{"--data", file, "--epochs", "40", "--batch", "6", "--val-split", "0", "--checkpoint", filepath.Join(dir, "ck")}, args...), &out, &errs)
		return s.labels, out.String() + errs.String(), code
	}
	for sample, want := range map[string][2]int{"": {400, 400}, "balanced": {1100, 1300}, "weight": {2400, 2400}} {
		var args []string
		if sample != "" {
			args = []string{"--sample", sample}
		}
		labels, said, code := run(args...)
		zeros := len(labels) - len(slices.DeleteFunc(slices.Clone(labels), func(l int64) bool { return l == 0 }))
		if code != 0 || len(labels) != 2400 || zeros < want[0] || zeros > want[1] {
			t.Errorf("--sample %q: %d of %d labels are 0, want %v, exit code %d\n%s", sample, zeros, len(labels), want, code, said)
		}
		if again, _, _ := run(args...); !slices.Equal(again, labels) {
			t.Errorf("--sample %q: the second training sees other examples", sample)
		}
	}
	if _, said, code := run("--sample", "weight", "--val-split", "0.5"); code != 0 {
		t.Errorf("with examples held back: exit code %d\n%s", code, said)
	}
	if _, said, code := run("--sample", "heavy"); code != 1 || !strings.Contains(said, "there is no array heavy beside x, with a weight for each example") {
		t.Errorf("without the array: exit code %d\n%s", code, said)
	}
}
