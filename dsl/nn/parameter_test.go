package nn_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/dsl/nn"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// block is a module of an author: its fields are layers, lists of layers, and parameters.
type block struct {
	Conv1  *nn.Conv2D
	Norm   nn.BatchNorm // by value
	Head   nn.Sequential
	Scale  *nn.Parameter
	Factor float64
	hidden *nn.Linear
}

func (b *block) Forward(g *dsl.Graph, x dsl.Value) dsl.Value {
	x = b.Norm.Forward(g, b.Conv1.Forward(g, x))
	return g.Mul(b.Head.Forward(g.Within("head"), x), b.Scale.Value(g))
}

func newBlock() *block {
	return &block{
		Conv1: &nn.Conv2D{In: 1, Out: 2, Kernel: 1},
		Norm:  nn.BatchNorm{Size: 2},
		Head:  nn.Sequential{nn.Flatten, &nn.Linear{In: 8, Out: 3, NoBias: true}},
		Scale: &nn.Parameter{Shape: []int{3}, Init: nn.Ones()},
	}
}

// TestNames tests that parameters have PyTorch's names, in the order of the fields, also in the
// model.
func TestNames(t *testing.T) {
	want := []string{"conv1.weight", "conv1.bias", "norm.weight", "norm.bias", "norm.running_mean", "norm.running_var", "head.1.weight", "scale"}
	m := newBlock()
	var got []string
	for name := range nn.Parameters(m) {
		got = append(got, name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	b, err := nn.Export(m, dsl.Float32("batch", 1, 2, 2), nn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g, err := onnx.Decode("block.onnx", b, nil)
	if err != nil {
		t.Fatal(err)
	}
	got = nil
	for _, v := range g.Main.Consts() {
		got = append(got, v.Name)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("initializers are %q, want %q", got, want)
	}
	for range nn.Parameters(m) {
		break // must not be called again
	}
}

// TestShared uses one tensor in two layers.
func TestShared(t *testing.T) {
	words := &nn.Parameter{Shape: []int{5, 4}, Init: nn.Normal(0, 1)}
	m := nn.Sequential{&nn.Embedding{Count: 5, Size: 4, Weight: words}, &nn.Linear{In: 4, Out: 5, NoBias: true, Weight: words}}
	var names []string
	for name := range nn.Parameters(m) {
		names = append(names, name)
	}
	if !slices.Equal(names, []string{"0.weight"}) {
		t.Errorf("parameters are %q, want one", names)
	}
	y := run(t, m, tensor.Of([]int64{3}, 1))
	w := data(words.Data)
	want := product(w[12:16], w, make([]float64, 5), 1, 4, 5)
	near(t, y, want)
}

// TestSeed tests that a seed gives the same file, other seeds other files, and that weights do not depend on
// other layers.
func TestSeed(t *testing.T) {
	export := func(seed int, m nn.Module) []byte {
		b, err := nn.Export(m, dsl.Float32("batch", 1, 2, 2), nn.Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	a := newBlock()
	first := export(1, a)
	if !slices.Equal(first, export(1, newBlock())) {
		t.Error("seed 1 gives two files")
	}
	if !slices.Equal(first, export(2, a)) {
		t.Error("a network that has values was initialized again")
	}
	if slices.Equal(first, export(2, newBlock())) {
		t.Error("seeds 1 and 2 give the same file")
	}
	b := newBlock()
	b.Norm.Weight = &nn.Parameter{Shape: []int{2}, Init: nn.Uniform(0, 1)}
	export(1, b)
	if !slices.Equal(a.Conv1.Weight.Data.Data.([]float32), b.Conv1.Weight.Data.Data.([]float32)) {
		t.Error("the weights of a layer depend on another")
	}
}

// TestSave keeps the previous file if a network cannot be saved, and makes the folder of a new one.
func TestSave(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "new", "block.onnx")
	x := dsl.Float32("batch", 1, 2, 2)
	if err := nn.Save(file, newBlock(), x, nn.Options{}); err != nil {
		t.Fatal(err)
	}
	saved, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := nn.Save(file, newBlock(), dsl.Float32("batch", 5, 2, 2), nn.Options{}); err == nil {
		t.Fatal("a network for 1 channel was saved for 5")
	}
	if err := nn.Save(dir, newBlock(), x, nn.Options{}); err == nil {
		t.Fatal("a network was saved as a folder")
	}
	if got, err := os.ReadFile(file); err != nil || !slices.Equal(got, saved) {
		t.Errorf("the previous file is gone: %v", err)
	}
	if list, err := os.ReadDir(filepath.Dir(file)); err != nil || len(list) != 1 {
		t.Errorf("the folder has %v, %v, want the model alone", list, err)
	}
}

// TestLoad reads back what was saved.
func TestLoad(t *testing.T) {
	file := filepath.Join(t.TempDir(), "block.onnx")
	x := dsl.Float32("batch", 1, 2, 2)
	a, b := newBlock(), newBlock()
	if err := nn.Save(file, a, x, nn.Options{Seed: 5, Training: true}); err != nil {
		t.Fatal(err)
	}
	if err := nn.Load(b, file); err != nil {
		t.Fatal(err)
	}
	in := random(1, 3, 1, 2, 2)
	near(t, run(t, b, in), data(run(t, a, in)))

	more := newBlock()
	more.Head = append(more.Head, &nn.Linear{In: 3, Out: 3})
	if err := nn.Load(more, file); err == nil || !strings.Contains(err.Error(), `no initializer "head.2.weight"`) {
		t.Errorf("got %v, want what is missing", err)
	}
	wide := newBlock()
	wide.Conv1.Kernel = 3
	if err := nn.Load(wide, file); err == nil || !strings.Contains(err.Error(), `"conv1.weight": got float32[2,1,1,1], want float32[2,1,3,3]`) {
		t.Errorf("got %v, want both shapes", err)
	}
	if wide.Conv1.Weight.Data != nil {
		t.Error("a file that does not fit has changed the network")
	}
}

// TestMistakes tests that errors name the place in the network.
func TestMistakes(t *testing.T) {
	image, tokens := dsl.Float32("batch", 1, 4, 4), dsl.Float32("batch", 3, 8)
	hidden := newBlock()
	hidden.hidden = &nn.Linear{In: 2, Out: 2}
	for want, c := range map[string]struct {
		m nn.Module
		x dsl.Type
	}{
		"parameter 1.weight: the shape is [0 3]":                 {nn.Sequential{nn.ReLU, &nn.Linear{In: 3}}, image},
		"1: Linear: the input is float32[batch,16], and In is 3": {nn.Sequential{nn.Flatten, &nn.Linear{In: 3, Out: 2}}, image},
		"0: Conv2D: the input is float32[batch,3,8], want 4":     {nn.Sequential{&nn.Conv2D{In: 3, Out: 1, Kernel: 1}}, tokens},
		"In is 3: want axis 1 of that size":                      {&nn.Conv2D{In: 3, Out: 1, Kernel: 1}, image},
		"0/body/1: the module is nil":                            {nn.Sequential{&nn.Residual{Body: nn.Sequential{nn.ReLU, nil}}}, image},
		"Residual: Body is nil":                                  {&nn.Residual{}, image},
		"Dropout: the probability is 1":                          {&nn.Dropout{P: 1}, image},
		"want heads of one size":                                 {&nn.MultiHeadAttention{Size: 8, Heads: 3}, tokens},
		"want groups of one size":                                {&nn.GroupNorm{Size: 3, Groups: 2}, tokens},
		"want height and width that are known":                   {&nn.AdaptiveAvgPool2D{Height: 1, Width: 1}, dsl.Float32("batch", 1, "h", 4)},
		"Height and Width are [0 1]":                             {&nn.AdaptiveMaxPool2D{Width: 1}, image},
		"a parameter was not found in the network":               {nn.Func(hidden.hidden.Forward), dsl.Float32("batch", 2)},
		"keep its modules in exported fields":                    {nn.Func((&nn.Embedding{}).Forward), dsl.Int64("batch")},
		"parameter weight: there are neither Data nor Init":      {&nn.Linear{In: 1, Out: 1, Weight: &nn.Parameter{Shape: []int{1, 1}}}, tokens},
		"parameter weight: got float32[3], want float32[1,1]":    {&nn.Linear{In: 1, Out: 1, Weight: &nn.Parameter{Shape: []int{1, 1}, Data: random(1, 3)}}, tokens},
		"the network is nil":                                     {nil, image},
	} {
		_, err := nn.Export(c.m, c.x, nn.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// TestPlace tests that an error names the author's line, not one of this package.
func TestPlace(t *testing.T) {
	_, err := nn.Export(nn.Sequential{nn.Flatten, &nn.Linear{In: 3, Out: 2}}, dsl.Float32("batch", 2, 2), nn.Options{})
	var mistakes dsl.Errors
	if !errors.As(err, &mistakes) || !strings.Contains(mistakes[0].Pos, "parameter_test.go:") {
		t.Errorf("got %v, want a line of this file", err)
	}
}

// TestMistakesOfFuncs: a mistake in a module that a function returns has the author's line, also where the compiler has
// inlined that function.
func TestMistakesOfFuncs(t *testing.T) {
	for _, f := range []nn.Func{nn.Softmax(9), nn.LogSoftmax(9)} {
		_, err := nn.Export(nn.Sequential{f}, dsl.Float32("batch", 4), nn.Options{})
		if err == nil || !strings.Contains(err.Error(), "parameter_test.go:") {
			t.Errorf("got %v, want a line of this test", err)
		}
	}
}
