package precision_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/ir/precision"
	"github.com/bbgen/bbgen/ir/train"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestStore shows a step that keeps values as bfloat16.
func TestStore(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, a *golden.Archive) {
		m, err := ir.Parse("in.ir", a.Get("in.ir"))
		if err != nil {
			t.Fatal(err)
		}
		p := build(t, m, train.Options{Loss: train.Loss{Name: "mse"}, Precision: tensor.BFloat16})
		a.Check("out/step.ir", ir.Print(p.Step))
	})
}

// build makes a training step that stores values according to the options; its batch is 2.
func build(t *testing.T, m *ir.Module, how train.Options) *train.Program {
	t.Helper()
	err := pass.Bind(m, map[string]int{"batch": 2})
	if err == nil && how.Optimizer.Name == "" {
		how.Optimizer, err = train.NewOptimizer("sgd")
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := train.Build(m, how)
	if err == nil {
		err = pass.Run(p.Step, pass.Pipeline, nil)
	}
	if err == nil && how.Precision != tensor.Float32 {
		if err = precision.Store(p.Step, how.Precision, nil); err == nil {
			err = pass.Run(p.Step, []*pass.Pass{pass.DCE}, nil)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func transformer(t *testing.T) *ir.Module {
	t.Helper()
	m, err := onnx.ReadFile("../../examples/chartransformer/transformer.onnx")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// run makes a number of steps on one batch of random characters, which change the weights little.
func run(t *testing.T, p *train.Program, steps int) (state []tensor.Value) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 1))
	in := []tensor.Value{tensor.New(tensor.Int64, 2, 64), tensor.New(tensor.Int64, 2, 64), tensor.FromFloat(tensor.Float32, 1e-6)}
	for _, x := range in[:2] {
		ids := tensor.Data[int64](x.(*tensor.Tensor))
		for i := range ids {
			ids[i] = r.Int64N(96)
		}
	}
	for range steps {
		_, next, err := eval.Step(p.Step.Main, state, in)
		if err != nil {
			t.Fatal(err)
		}
		state = next
	}
	return state
}

func named(t *testing.T, p *train.Program, state []tensor.Value, name string) *tensor.Tensor {
	t.Helper()
	for i, s := range p.Step.Main.State {
		if s.Param.Name == name {
			return state[i].(*tensor.Tensor)
		}
	}
	t.Fatalf("there is no state %q", name)
	return nil
}

var loss = train.Loss{Name: "cross_entropy", Axis: -1}

// TestGradients compares the gradients of a transformer with those in float32. The difference is a few times
// the rounding error of the stored bits.
func TestGradients(t *testing.T) {
	how := train.Options{Loss: loss, Gradients: true, Precision: tensor.Float32}
	exact := build(t, transformer(t), how)
	want := run(t, exact, 1)
	for _, tt := range []struct {
		elem         tensor.DType
		scale, bound float64
	}{
		{tensor.BFloat16, 0, 4 * 0x1p-8}, {tensor.Float16, 0, 4 * 0x1p-11}, {tensor.Float16, 1 << 12, 4 * 0x1p-11},
	} {
		t.Run(fmt.Sprint(tt.elem, tt.scale), func(t *testing.T) {
			how.Precision, how.Scale.First = tt.elem, tt.scale
			p := build(t, transformer(t), how)
			got := run(t, p, 1)
			var worst float64
			for _, s := range exact.Step.Main.State {
				if s.Kind == ir.Parameter {
					name := s.Param.Name + ".grad"
					e := distance(tensor.Data[float32](named(t, p, got, name)), tensor.Data[float32](named(t, exact, want, name)))
					if !(e <= tt.bound) {
						t.Errorf("%s is off by %.2g of its size, want at most %.2g", name, e, tt.bound)
					}
					worst = max(worst, e)
				}
			}
			t.Logf("at most %.2g", worst)
			if worst == 0 {
				t.Error("nothing is rounded")
			}
		})
	}
}

// distance returns
// a-b
// /
// b
// .
func distance(a, b []float32) float64 {
	var d, n float64
	for i := range b {
		d += math.Pow(float64(a[i]-b[i]), 2)
		n += math.Pow(float64(b[i]), 2)
	}
	return math.Sqrt(d / n)
}

// TestOverflow begins with a loss scale that is too large for float16: the first update is skipped, and the
// scale is halved.
func TestOverflow(t *testing.T) {
	const huge float32 = 1 << 40
	p := build(t, transformer(t), train.Options{Loss: loss, Precision: tensor.Float16, Scale: train.LossScale{First: float64(huge), Every: 10}})
	state := run(t, p, 1)
	for _, s := range p.Step.Main.State {
		if got := named(t, p, state, s.Param.Name); s.Kind == ir.Parameter && !bytes.Equal(got.Bytes(), s.Init.Bytes()) {
			t.Errorf("%s has changed", s.Param.Name)
		}
	}
	if got := tensor.Data[float32](named(t, p, state, "loss_scale"))[0]; got != huge/2 {
		t.Errorf("the scale is %v, want %v", got, huge/2)
	}
	if got := tensor.Data[int64](named(t, p, state, "step"))[0]; got != 0 {
		t.Errorf("%d updates are counted", got)
	}
}
