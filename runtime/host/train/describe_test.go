package train

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/dataset"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestClasses checks that class numbers are never learned as values, and that a model has as many classes as
// the data.
func TestClasses(t *testing.T) {
	port := func(elem tensor.DType, dims ...string) runtime.Port {
		return runtime.Port{Name: "target", Elem: elem, Type: elem.String(), Dims: dims}
	}
	for _, c := range []struct {
		name    string
		target  runtime.Port
		classes int
		want    string
	}{
		{"a class each", port(tensor.Int64, "batch"), 2, ""},
		{"vectors of classes", port(tensor.Float32, "batch", "2"), 2, ""},
		{"values", port(tensor.Float32, "batch", "1"), 0, ""},
		{"too many", port(tensor.Int64, "batch"), 3, "the data have 3 classes; the model has outputs for 2"},
		{"classes as values", port(tensor.Float32, "batch", "1"), 2, "labels are numbers of 2 classes: off, on, and mse would take these numbers for values: "},
	} {
		p := program(nil, nil)
		p.Loss = "mse"
		p.Targets = []runtime.Port{c.target}
		set := &dataset.Set{Train: points(20).Train, Classes: c.classes}
		if c.classes == 2 {
			set.Names = []string{"off", "on"}
		}
		_, err := newTrainer(p, set, Options{Epochs: 1})
		if got := message(err); (c.want == "") != (got == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestAddDataset shows the metadata of a file of weights.
func TestAddDataset(t *testing.T) {
	meta := map[string]string{}
	if err := addDataset(meta, &dataset.Set{Names: []string{"cat", "dog"}, Mean: []float32{0.5}, Std: []float32{2}}); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"names": `["cat","dog"]`, "mean": "[0.5]", "std": "[2]"}
	if !maps.Equal(meta, want) {
		t.Errorf("got %v, want %v", meta, want)
	}
}

// TestNoOutput checks that the output names the location of the weights if there is no output file.
func TestNoOutput(t *testing.T) {
	opt := options(t, t.TempDir())
	opt.Best, opt.Output = "", ""
	var stdout bytes.Buffer
	opt.Stdout = &stdout
	if err := Run(t.Context(), program(nil, nil), points(100), opt); err != nil {
		t.Fatal(err)
	}
	lines := slices.Collect(strings.Lines(stdout.String()))
	if want := "the weights are in " + opt.Checkpoint + " alone: --best FILE and -o FILE write them\n"; lines[len(lines)-1] != want {
		t.Errorf("the last line is %q, want %q", lines[len(lines)-1], want)
	}
}
