package nn_test

import (
	"math"
	"testing"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/dsl/nn"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/ir/train"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// typeOf returns the type of a tensor with a variable first axis.
func typeOf(x *tensor.Tensor) dsl.Type {
	dims := []any{"batch"}
	for _, n := range x.Shape[1:] {
		dims = append(dims, n)
	}
	return dsl.Tensor(x.DType, dims...)
}

// run exports a network, reads the file, and evaluates its graph.
func run(t *testing.T, m nn.Module, x *tensor.Tensor) *tensor.Tensor {
	t.Helper()
	b, err := nn.Export(m, typeOf(x), nn.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	g, err := onnx.Decode("net.onnx", b, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := pass.Run(g, pass.Pipeline, nil); err != nil {
		t.Fatal(err)
	}
	out, err := eval.Run(g.Main, []tensor.Value{x})
	if err != nil {
		t.Fatal(err)
	}
	return out[0].(*tensor.Tensor)
}

// trains compiles a network with a training step, and checks that there is a gradient for each
// parameter.
func trains(t *testing.T, m nn.Module, x *tensor.Tensor) {
	t.Helper()
	b, err := nn.Export(m, typeOf(x), nn.Options{Seed: 1, Training: true})
	if err != nil {
		t.Fatal(err)
	}
	g, err := onnx.Decode("net.onnx", b, nil)
	if err != nil {
		t.Fatal(err)
	}
	opt, err := train.NewOptimizer("sgd")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bbgen.Compile(g, bbgen.Config{Source: "net.onnx", Train: &train.Options{Loss: train.Loss{Name: "mse"}, Optimizer: opt}}); err != nil {
		t.Fatal(err)
	}
}

// random returns a tensor of numbers around 0.
func random(seed int, shape ...int) *tensor.Tensor {
	n, err := tensor.NumElements(shape)
	if err != nil {
		panic(err)
	}
	x := make([]float32, n)
	cpu.RandomNormal(x, 0, 1, seed)
	return tensor.Of(x, shape...)
}

// data returns the elements of a tensor as float64.
func data(x *tensor.Tensor) []float64 {
	in := x.Data.([]float32)
	out := make([]float64, len(in))
	for i, v := range in {
		out[i] = float64(v)
	}
	return out
}

// near checks the elements of a tensor.
func near(t *testing.T, got *tensor.Tensor, want []float64) {
	t.Helper()
	g := data(got)
	if len(g) != len(want) {
		t.Fatalf("%v, want %d elements", got.Shape, len(want))
	}
	for i := range g {
		if !(math.Abs(g[i]-want[i]) <= 1e-4*(1+math.Abs(want[i]))) {
			t.Fatalf("element %d is %v, want %v", i, g[i], want[i])
		}
	}
}
