package train

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/component/dataset"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestClasses checks that class numbers are never learned as values, and that a model has as many classes as
// the data.
func TestClasses(t *testing.T) {
	port := func(elem tensor.DType, dims ...string) model.Port {
		return model.Port{Name: "target", Elem: elem, Type: elem.String(), Dims: dims}
	}
	for _, c := range []struct {
		name    string
		target  model.Port
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
		p.Targets = []model.Port{c.target}
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

// TestLabels refuses labels that are no class of the model before the first step, but for those that do not count.
func TestLabels(t *testing.T) {
	for _, c := range []struct {
		labels  []int64
		outputs string
		ignored []int
		want    string
	}{
		{[]int64{0, 1}, "2", nil, ""},
		{[]int64{1, 2}, "2", nil, "labels are from 1 to 2; the model has outputs for 2, so want 0 to 1; numbers are taken as they are, words are numbered in their order"},
		{[]int64{0, 255}, "2", []int{255}, ""},
		{[]int64{0, -100}, "2", nil, ""},
		{[]int64{0, -1}, "2", []int{-1}, ""},
		{[]int64{1, -1}, "2", nil, "labels are from -1 to 1; the model has outputs for 2, so want 0 to 1; numbers are taken as they are, words are numbered in their order; --ignore -1 leaves that label out"},
		{[]int64{0, 1}, "1", nil, "labels are from 0 to 1; the model has outputs for 1 (cross_entropy wants a score for each class: --loss bce_logits learns two classes with one output, bce if that is a probability, and mse learns values)"},
	} {
		s, err := dataset.NewMemory(tensor.New(tensor.Float32, 2, 2), tensor.Of(c.labels, 2), tensor.Float32, tensor.Int64)
		if err != nil {
			t.Fatal(err)
		}
		p := program(nil, nil)
		p.Outputs[0].Dims = []string{"batch", c.outputs}
		p.Ignored = c.ignored
		for what, set := range map[string]*dataset.Set{"training": {Train: s}, "validation": {Train: points(20).Train, Val: s}} {
			if _, err := newTrainer(p, set, Options{Epochs: 1, Batch: 2}); what == "training" || c.outputs == "2" {
				if got := message(err); got != c.want {
					t.Errorf("%s: labels %v: %q, want %q", what, c.labels, got, c.want)
				}
			}
		}
	}
}

// TestProbabilities refuses labels that are no probabilities where the loss takes them for such.
func TestProbabilities(t *testing.T) {
	for _, c := range []struct {
		loss   string
		labels []float32
		want   string
	}{
		{"bce_logits", []float32{0, 1}, ""},
		{"bce", []float32{0.25, 0.5}, ""},
		{"bce_logits", []float32{-1, 1}, "labels are from -1 to 1; bce_logits wants 0 for one class and 1 for the other, or probabilities (--loss hinge takes -1 and 1)"},
		{"focal", []float32{1, 2}, "labels are from 1 to 2; focal wants 0 for one class and 1 for the other, or probabilities (--loss hinge takes -1 and 1)"},
		{"hinge", []float32{-1, 1}, ""},
		{"mse", []float32{-1, 2}, ""},
	} {
		s, err := dataset.NewMemory(tensor.New(tensor.Float32, 2, 2), tensor.Of(c.labels, 2), tensor.Float32, tensor.Float32)
		if err != nil {
			t.Fatal(err)
		}
		p := program(nil, nil)
		p.Loss = c.loss
		p.Targets = []model.Port{{Name: "target", Elem: tensor.Float32, Type: "float32[batch,1]", Dims: []string{"batch", "1"}}}
		p.Outputs[0].Dims = []string{"batch", "1"}
		if _, err := newTrainer(p, &dataset.Set{Train: s}, Options{Epochs: 1, Batch: 2}); message(err) != c.want {
			t.Errorf("%s with labels %v: %v, want %q", c.loss, c.labels, err, c.want)
		}
	}
}

// TestFollow checks that an evaluation reads data as the model that was trained does, though they lack a class and
// have the columns in another order, and that other data may be learned, but not evaluated.
func TestFollow(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"high.csv": "b,a,class\n5,1,high\n6,2,high\n", "other.csv": "b,a,class\n5,1,new\n6,2,new\n"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p := program(nil, nil)
	p.Classes, p.Columns = []string{"low", "high"}, []string{"a", "b"}
	c := &config{data: "high.csv", eval: true}
	set, err := c.open(p)
	if err != nil {
		t.Fatal(err)
	}
	x, y := set.Train.Features().Tensor(2), set.Train.Labels().Tensor(2)
	if err := set.Train.Batch([]int{0, 1}, x, y); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(x.Data, y.Data, set.Names, set.Columns); got != "[1 5 2 6] [1 1] [low high] [a b]" {
		t.Errorf("it reads %s", got)
	}
	c.columns = "b,a" // the user's word counts
	if set, err = c.open(p); err != nil || !slices.Equal(set.Columns, []string{"b", "a"}) {
		t.Errorf("--columns: got %v, %v", set, err)
	}
	c = &config{data: "other.csv", eval: true}
	if _, err := c.open(p); message(err) != `other.csv: the data have the class "new", which the model does not have; its classes are: low, high` {
		t.Errorf("evaluated data of another class: got %v", err)
	}
	var warned strings.Builder
	c.eval, c.Stderr = false, &warned
	if set, err = c.open(p); err != nil || !slices.Equal(set.Names, []string{"new"}) {
		t.Errorf("learned data of another class: got %v, %v", set, err)
	}
	if want := `warning: other.csv: the data have the class "new", which the model does not have`; !strings.Contains(warned.String(), want) {
		t.Errorf("learned data of another class: got the warning %q, want %q", warned.String(), want)
	}
}

// TestAddTraining shows the metadata of a file of weights.
func TestAddTraining(t *testing.T) {
	meta := map[string]string{}
	if err := addTraining(meta, &dataset.Set{Names: []string{"cat", "dog"}, Mean: []float32{0.5}, Std: []float32{2}}, []string{"nll"}); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"names": `["cat","dog"]`, "mean": "[0.5]", "std": "[2]", "loss": `["nll"]`}
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
