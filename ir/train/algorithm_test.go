package train

import (
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// ownAlgorithm is a classifier with a training algorithm in its file: Adam, with the count of the updates
// initialized to 0.
const ownAlgorithm = `
module "linear"
opset 20, ai.onnx.preview.training 1

func @main(%x: float32[n,3]) -> (%scores) {
  const %W: float32[3,2] = [[0.1, -0.2], [0.3, 0.4], [-0.5, 0.6]]
  const %b: float32[2] = [0.05, -0.05]
  %xw = MatMul(%x, %W)
  %scores = Add(%xw, %b)
}

training {
  algorithm func @step(%labels: int64[n]) -> (%loss) {
    const %T: int64[] = 7
    const %one: int64[] = 1
    const %R: float32[] = 0.1
    const %Vw: float32[3,2] = [[0, 0], [0, 0], [0, 0]]
    const %Vb: float32[2] = [0, 0]
    const %Hw: float32[3,2] = [[0, 0], [0, 0], [0, 0]]
    const %Hb: float32[2] = [0, 0]
    %loss = SoftmaxCrossEntropyLoss(%scores, %labels)
    %dW, %db = ai.onnx.preview.training:Gradient(%W, %b, %x, %labels) {xs = ["W", "b"], y = "loss", zs = ["x", "labels"]}
    %T_next = Add(%T, %one)
    %W_next, %b_next, %Vw_next, %Vb_next, %Hw_next, %Hb_next = ai.onnx.preview.training:Adam(%R, %T_next, %W, %b, %dW, %db, %Vw, %Vb, %Hw, %Hb) {alpha = 0.9, beta = 0.999, epsilon = 1e-06}
  }
  update %W = %W_next
  update %b = %b_next
  update %Vw = %Vw_next
  update %Vb = %Vb_next
  update %Hw = %Hw_next
  update %Hb = %Hb_next
  update %T = %T_next
  init func @init() -> (%T0) {
    %T0 = Constant() {value = int64[] 0}
  }
  init %T = %T0
}
`

// ownDescent has neither an optimizer of ONNX nor a scalar loss: the gradient is that of the sum, and the
// algorithm has its own learning rate.
const ownDescent = `
module "descent"
opset 20, ai.onnx.preview.training 1

func @main(%x: float32[2]) -> (%y) {
  const %w: float32[2] = [3, -1]
  %y = Mul(%w, %x)
}

training {
  algorithm func @step(%goal: float32[2]) -> () {
    const %rate: float32[] = 0.25
    %d = Sub(%y, %goal)
    %losses = Mul(%d, %d)
    %dw = ai.onnx.preview.training:Gradient(%w, %x, %goal) {xs = ["w"], y = "losses", zs = ["x", "goal"]}
    %move = Mul(%dw, %rate)
    %w_next = Sub(%w, %move)
  }
  update %w = %w_next
}
`

func readAlgorithm(t *testing.T, text string) *ir.Module {
	t.Helper()
	m, err := ir.Parse("model.ir", text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestAlgorithm compares with the same steps in numpy, in float64.
func TestAlgorithm(t *testing.T) {
	s := start(t, readAlgorithm(t, ownAlgorithm), Options{})
	if s.program.Rate != 0.1 || s.program.Targets != 1 || s.program.Loss != "loss" {
		t.Errorf("the program is %+v", s.program)
	}
	x := tensor.Of([]float32{1, 0.5, -1, 0.2, -0.3, 0.8, -0.7, 1.1, 0.4, 0.9, -1.2, 0.6}, 4, 3)
	labels := tensor.Of([]int64{0, 1, 1, 0}, 4)
	for _, want := range []float64{0.453907566, 0.367845454, 0.297615808} {
		near(t, "losses", []float64{s.step(x, labels, tensor.Of([]float32{0.1}))}, []float64{want}, 1e-6)
	}
	near(t, "weights", floats64(s.value("W")), []float64{0.39404367, -0.49404367, 0.00510257, 0.69489744, -0.79911227, 0.89911229}, 1e-5)
	near(t, "biases", floats64(s.value("b")), []float64{0.06064638, -0.06064638}, 1e-5)
	if n := tensor.Data[int64](s.value("T"))[0]; n != 3 {
		t.Errorf("T is %d after three steps from 0", n)
	}
}

// TestAlgorithmDescent minimizes (3x - 1)² + (-x + 2)² for x of 1 and 0.5.
func TestAlgorithmDescent(t *testing.T) {
	s := start(t, readAlgorithm(t, ownDescent), Options{})
	if s.program.Rate != 0 {
		t.Errorf("the learning rate is %v, want none", s.program.Rate)
	}
	loss := s.step(tensor.Of([]float32{1, 0.5}, 2), tensor.Of([]float32{1, 2}, 2), tensor.Of([]float32{9}))
	near(t, "losses", []float64{loss}, []float64{4 + 6.25}, 1e-6)
	near(t, "weights", floats64(s.value("w")), []float64{2, -0.375}, 1e-6)
}

// TestAlgorithmErrors tests files and options with contradictions.
func TestAlgorithmErrors(t *testing.T) {
	for _, c := range []struct {
		old, new string
		opt      Options
		want     string
	}{
		{"", "", Options{ClipNorm: 1}, "clipping does not go with the file's own training algorithm"},
		{ownAlgorithm[strings.Index(ownAlgorithm, "training {"):], "", Options{}, "the file does not say how it is trained"},
		{`y = "loss"`, `y = "nothing"`, Options{}, `nothing is called "nothing"`},
		{"update %b = %b_next", "update %b = %W_next", Options{}, `"b" is float32[2], its new value "W_next" is float32[3,2]`},
		{"%T0 = Constant() {value = int64[] 0}", "%m = RandomNormal() {shape = [9999999999]}\n %s = ReduceSum(%m) {keepdims = 0}\n %T0 = Cast(%s) {to = 7}", Options{}, `want at most 1073741824 elements`},
		{"%T0 = Constant() {value = int64[] 0}", "%c = Constant() {value = int64[1] [3]}\n %i = Constant() {value = int64[] 5}\n %T0 = Gather(%c, %i)", Options{}, `index 5 is out of range`},
		{"value = int64[] 0", "value = int64[1] [0]", Options{}, `"T" is int64[], its first value "T0" is int64[1]`},
	} {
		_, err := Build(readAlgorithm(t, strings.Replace(ownAlgorithm, c.old, c.new, 1)), c.opt)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

// TestAlgorithmHostile tests constructs that no exporter writes, but a file may contain.
func TestAlgorithmHostile(t *testing.T) {
	for name, c := range map[string]struct {
		change func(tr *ir.Training)
		want   string
	}{
		"an input of the model's name": {func(tr *ir.Training) { tr.Algorithm.Body.Params[0].Name = "x" }, `does not go with the model: `},
		"a value of the model's name":  {func(tr *ir.Training) { tr.Algorithm.Body.Nodes[2].Out[0].Name = "scores" }, `does not go with the model: `},
		"two updates of one":           {func(tr *ir.Training) { tr.Updates[1].To = tr.Updates[0].To }, `"W" is no initializer, or is given two values`},
		"strings":                      {func(tr *ir.Training) { tr.Updates[1].To.Const = tensor.Of([]string{"a"}, 1) }, `"b" holds strings`},
		"an update by an input":        {func(tr *ir.Training) { tr.Updates[0].From = tr.Algorithm.Body.Params[0] }, `"W" is float32[3,2], its new value "labels" is int64[n]`},
	} {
		m := readAlgorithm(t, ownAlgorithm)
		c.change(m.Training[0])
		if _, err := Build(m, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

// floats64 returns the content of a tensor of floats.
func floats64(t *tensor.Tensor) []float64 { return compare.Floats(t) }

// TestAlgorithmMutated replaces every name by every other, and removes every line: the result is a trainer or
// an error, never a panic.
func TestAlgorithmMutated(t *testing.T) {
	for _, text := range []string{ownAlgorithm, ownDescent} {
		places := regexp.MustCompile(`%[\w.]+|xs = \["W", "b"\]|float32\[2\]|int64\[\]`).FindAllStringIndex(text, -1)
		words := map[string]bool{}
		for _, at := range places {
			words[text[at[0]:at[1]]] = true
		}
		for _, at := range places {
			for w := range words {
				build(t, text[:at[0]]+w+text[at[1]:])
			}
		}
		lines := strings.SplitAfter(text, "\n")
		for i := range lines {
			build(t, strings.Join(slices.Delete(slices.Clone(lines), i, i+1), ""))
		}
	}
}

// build makes a trainer from a text, if it is valid.
func build(t *testing.T, text string) {
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%v\n%s\n%s", r, text, debug.Stack())
		}
	}()
	m, err := ir.Parse("model.ir", text)
	if err != nil || m.Main == nil || ir.Verify(m) != nil {
		return
	}
	p, err := Build(m, Options{})
	if err != nil {
		return
	}
	for _, m := range []*ir.Module{p.Step, p.Eval} {
		if err := ir.Verify(m); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
		pass.Run(m, pass.Pipeline, nil) // verifies the module
	}
}
