package recompute_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/recompute"
	"github.com/bbgen/bbgen/ir/train"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestGraph tests the recomputation in small training steps.
func TestGraph(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, a *golden.Archive) {
		var limit int
		if _, err := fmt.Sscan(a.Get("limit"), &limit); err != nil {
			t.Fatal(err)
		}
		m, err := ir.Parse("in.ir", a.Get("in.ir"))
		if err != nil {
			t.Fatal(err)
		}
		var report *recompute.Report
		p, err := plan(t, m, train.Options{Loss: train.Loss{Name: "mse"}, Memory: limit}, &report)
		if err != nil {
			a.Check("out/error", err.Error())
			return
		}
		a.Check("out/report", report.String())
		a.Check("out/step.ir", ir.Print(p.Module))
	})
}

// TestSameBits trains models with less and less memory: the loss and all states have the same bits as without
// a limit.
func TestSameBits(t *testing.T) {
	tests := []struct {
		name     string
		model    func(t *testing.T) *ir.Module
		how      train.Options
		fraction []float64 // of the memory without a limit
	}{
		{"transformer", transformer, train.Options{Loss: train.Loss{Name: "cross_entropy", Axis: -1}}, []float64{0.5, 0.35}},
		{"bfloat16", transformer, train.Options{Loss: train.Loss{Name: "cross_entropy", Axis: -1}, Precision: tensor.BFloat16}, []float64{0.6}},
		{"convolutions", convolutions, train.Options{Loss: train.Loss{Name: "mse"}}, []float64{0.9, 0.7, 0.6}},
		{"accumulated", convolutions, train.Options{Loss: train.Loss{Name: "mse"}, Accumulate: 2, ClipNorm: 1}, []float64{0.8}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			how := tt.how
			free, err := plan(t, tt.model(t), how, nil)
			if err != nil {
				t.Fatal(err)
			}
			want := steps(t, free.Module)
			for _, f := range tt.fraction {
				how.Memory = int(f * float64(free.Step.Arena))
				var report *recompute.Report
				p, err := plan(t, tt.model(t), how, &report)
				if err != nil {
					t.Fatal(err)
				}
				if p.Step.Arena > how.Memory || p.Step.Arena != report.After || report.Nodes == 0 {
					t.Errorf("limit %d: the arena takes %d; %s", how.Memory, p.Step.Arena, report)
				}
				if got := steps(t, p.Module); !bytes.Equal(got, want) {
					t.Errorf("limit %d: the results are others", how.Memory)
				}
			}
		})
	}
}

// TestSmallest asks for less memory than possible: the minimum in the error is sufficient.
func TestSmallest(t *testing.T) {
	for _, model := range []func(t *testing.T) *ir.Module{convolutions, file("../../examples/train/lenet.onnx")} {
		how := train.Options{Loss: train.Loss{Name: "cross_entropy"}, Memory: 1000}
		_, err := plan(t, model(t), how, nil)
		if err == nil {
			t.Fatal("a step fits into 1000 bytes")
		}
		_, text, _ := strings.Cut(err.Error(), "at least ")
		if _, err := fmt.Sscan(text, &how.Memory); err != nil {
			t.Fatal(err)
		}
		if _, err := plan(t, model(t), how, nil); err != nil {
			t.Errorf("%d bytes are said to be enough: %v", how.Memory, err)
		}
	}
}

// TestDeep trains a chain of 64 values of one size: memory for about 2·√64 of them is sufficient, with the
// recomputation of less than one forward pass.
func TestDeep(t *testing.T) {
	const depth, width = 64, 1024
	text := fmt.Sprintf("module \"deep\"\nopset 21\nfunc @main(%%x: float32[batch,%d]) -> (%%y%d) {\nconst %%w: float32[%d] = <sha256:0 %d elements>\n%%y0 = Mul(%%x, %%w) : ?\n", width, depth, width, width)
	for i := range depth {
		text += fmt.Sprintf("%%y%d = Sin(%%y%d) : ?\n", i+1, i)
	}
	m, err := ir.Parse("deep.ir", text+"}\n")
	if err != nil {
		t.Fatal(err)
	}
	const size = 2 * width * 4
	var report *recompute.Report
	if _, err := plan(t, m, train.Options{Loss: train.Loss{Name: "mse"}, Memory: 22 * size}, &report); err != nil {
		t.Fatal(err)
	}
	if report.Before < depth*size || report.Nodes > depth {
		t.Errorf("got %s", report)
	}
}

// TestSymbols: recomputation needs known sizes.
func TestSymbols(t *testing.T) {
	m := file("../../examples/train/lenet.onnx")(t)
	how := train.Options{Loss: train.Loss{Name: "cross_entropy"}, Optimizer: sgd(t), Memory: 1000}
	_, err := bbgen.Compile(m, bbgen.Config{Train: &how, Until: "plan"})
	if err == nil || !strings.Contains(err.Error(), "with --bind") {
		t.Errorf("got %v", err)
	}
}

func sgd(t *testing.T) train.Optimizer {
	t.Helper()
	o, err := train.NewOptimizer("sgd")
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// plan plans the training of m on two examples at a time, by SGD unless how is another optimizer.
func plan(t *testing.T, m *ir.Module, how train.Options, report **recompute.Report) (*codegen.Trainer, error) {
	t.Helper()
	if how.Optimizer.Name == "" {
		how.Optimizer = sgd(t)
	}
	bind := map[string]int{"batch": 2}
	if _, known := m.Main.Body.Params[0].Type.Shape[0].Const(); known {
		bind = nil
	}
	r, err := bbgen.Compile(m, bbgen.Config{Bind: bind, Train: &how, Until: "plan"})
	if err != nil {
		return nil, err
	}
	if report != nil {
		*report = r.Recomputed
	}
	return r.Trainer, nil
}

var transformer = file("../../examples/chartransformer/transformer.onnx")

func file(name string) func(t *testing.T) *ir.Module {
	return func(t *testing.T) *ir.Module {
		m, err := onnx.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
}

// convolutions returns a deep stack of convolutions with random weights, each followed by a batch
// normalization, and with a Dropout in the middle.
func convolutions(t *testing.T) *ir.Module {
	const layers = 8
	var consts, nodes strings.Builder
	at := "x"
	for i := range layers {
		fmt.Fprintf(&consts, "const %%w%d: float32[4,4,3,3] = <sha256:0 144 elements>\n", i)
		for _, v := range []string{"scale", "bias", "mean", "var"} {
			fmt.Fprintf(&consts, "const %%%s%d: float32[4] = <sha256:0 4 elements>\n", v, i)
		}
		fmt.Fprintf(&nodes, "%%c%d = Conv(%%%s, %%w%d) {pads = [1, 1, 1, 1]} : ?\n", i, at, i)
		fmt.Fprintf(&nodes, "%%n%d, %%mean_next%d, %%var_next%d = BatchNormalization(%%c%d, %%scale%d, %%bias%d, %%mean%d, %%var%d) {training_mode = 1} : ?, ?, ?\n", i, i, i, i, i, i, i, i)
		at = fmt.Sprintf("r%d", i)
		fmt.Fprintf(&nodes, "%%%s = Softplus(%%n%d) : ?\n", at, i)
		if i == layers/2 {
			fmt.Fprintf(&nodes, "%%d, %%mask = Dropout(%%%s, %%half, %%yes) : ?, ?\n", at)
			at = "d"
		}
	}
	text := "module \"net\"\nopset 21\nfunc @main(%x: float32[batch,4,8,8]) -> (%" + at + ") {\n" + consts.String() +
		"const %half: float32[] = 0.5\nconst %yes: bool[] = true\n" + nodes.String() + "}\n"
	m, err := ir.Parse("net.ir", text)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for _, c := range m.Main.Consts() {
		if c.Const.Len() > 1 {
			fill(r, c.Const)
		}
	}
	return m
}

func fill(r *rand.Rand, x *tensor.Tensor) {
	switch d := x.Data.(type) {
	case []float32:
		for i := range d {
			d[i] = r.Float32()
		}
	case []int64:
		for i := range d {
			d[i] = r.Int64N(10)
		}
	}
}

// steps makes two steps on the same random batches each time. It returns the losses and the final states.
func steps(t *testing.T, m *ir.Module) []byte {
	t.Helper()
	r := rand.New(rand.NewPCG(2, 2))
	var all []byte
	var state []tensor.Value
	for range 2 {
		var in []tensor.Value
		for _, p := range m.Main.Body.Params {
			shape := make([]int, len(p.Type.Shape))
			for i, d := range p.Type.Shape {
				shape[i], _ = d.Const()
			}
			x := tensor.New(p.Type.Elem, shape...)
			fill(r, x)
			in = append(in, x)
		}
		out, next, err := eval.Step(m.Main, state, in)
		if err != nil {
			t.Fatal(err)
		}
		state = next
		all = append(all, out[0].(*tensor.Tensor).Bytes()...)
	}
	for _, x := range state {
		all = append(all, x.(*tensor.Tensor).Bytes()...)
	}
	return all
}

// TestNoLoss: without a loss there is no end of the forward pass.
func TestNoLoss(t *testing.T) {
	m, err := ir.Parse("m.ir", "module \"m\"\nfile \"m.onnx\"\nopset 20\n\nfunc @main(%x: float32[2]) -> () {\n  %y = Relu(%x) : float32[2]\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	_, err = recompute.Within(m, 1, func(*ir.Func) (int, error) { return 100, nil })
	if want := "m.onnx: the function has no result, want a loss"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	var report *recompute.Report
	_, err = plan(t, convolutions(t), train.Options{Backward: true, Memory: 1000}, &report)
	if want := "a limit of memory needs a loss"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}
