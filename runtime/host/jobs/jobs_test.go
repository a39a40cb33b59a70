package jobs

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// double is a model that doubles its input, fails for a 1 and panics for a 2.
type double struct{ x *tensor.Tensor }

func (d *double) SetInput(_ int, v tensor.Value) error {
	d.x = v.(*tensor.Tensor)
	return nil
}

func (d *double) Run() error {
	x := tensor.Data[float32](d.x)
	switch x[0] {
	case 1:
		return errors.New("1 is refused")
	case 2:
		panic("2 is worse")
	}
	d.x = tensor.Of([]float32{2 * x[0]})
	return nil
}

func (d *double) Output(int) tensor.Value { return d.x }

func program() model.Program {
	port := []model.Port{{Name: "x", Type: "float32[]", Elem: tensor.Float32}}
	return model.Program{Name: "double", Inputs: port, Outputs: port, New: func() (model.Session, error) { return &double{}, nil }}
}

// input returns a folder with one input.
func input(t *testing.T, x float32) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "input_0.pb"), tensorio.AppendTensor(nil, "x", tensor.Of([]float32{x})), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestServe runs jobs one after the other. A failing job leaves its error, and does not affect the others.
func TestServe(t *testing.T) {
	out := t.TempDir()
	var lines, done strings.Builder
	for i, x := range []float32{1, 2, 3} {
		lines.WriteString("0\t" + input(t, x) + "\t" + filepath.Join(out, string(rune('a'+i))) + "\n")
	}
	lines.WriteString("0\t" + t.TempDir() + "\t" + filepath.Join(out, "d") + "\n")
	if err := serve([]func() model.Program{program}, strings.NewReader(lines.String()), &done); err != nil {
		t.Fatal(err)
	}
	if done.String() != "0\n1\n2\n3\n" {
		t.Errorf("done are %q", done.String())
	}
	for name, want := range map[string]string{"a": "1 is refused", "b": "panic: 2 is worse", "d": "input_0.pb"} {
		if b, err := os.ReadFile(filepath.Join(out, name, ErrorFile)); err != nil || !strings.Contains(string(b), want) {
			t.Errorf("job %s left %q, %v; want %q", name, b, err, want)
		}
	}
	b, err := os.ReadFile(filepath.Join(out, "c", "output_0.pb"))
	if err != nil {
		t.Fatal(err)
	}
	if got, _, err := tensorio.DecodeTensor(b); err != nil || tensor.Data[float32](got)[0] != 6 {
		t.Errorf("the output is %v, %v; want 6", got, err)
	}
}

// TestServeErrors ends at a line that is not a job.
func TestServeErrors(t *testing.T) {
	for line, want := range map[string]string{
		"0\tin":       "job 0: got 2 fields, want 3",
		"1\tin\tout":  "job 0: there is no program 1",
		"-1\tin\tout": "job 0: there is no program -1",
		"x\tin\tout":  "job 0: there is no program x",
	} {
		if err := serve([]func() model.Program{program}, strings.NewReader(line), &strings.Builder{}); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %q", line, err, want)
		}
	}
}
