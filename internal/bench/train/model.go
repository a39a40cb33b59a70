package main

import (
	"math"
	"math/rand/v2"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/train"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// model is a network to train with Adam and cross entropy. The contenders select it by its name.
type model struct {
	name    string
	text    string // for the table
	batch   int
	classes int // labels and characters are less than this
	axis    int // of the classes
	read    func() (*ir.Module, error)
}

var models = []*model{
	{"mlp", "MLP 784-512-256-10, batch 64", 64, 10, 1, perceptron},
	{"lenet", "LeNet, batch 64", 64, 10, 1, file("examples/train/lenet.onnx")},
	{"transformer", "4-layer transformer, 32×64 characters", 32, 96, -1, file("examples/chartransformer/transformer.onnx")},
}

func file(name string) func() (*ir.Module, error) {
	return func() (*ir.Module, error) { return onnx.ReadFile(name) }
}

// how returns how a model is trained.
func (m *model) how() (train.Options, error) {
	adam, err := train.NewOptimizer("adam")
	return train.Options{Loss: train.Loss{Name: "cross_entropy", Axis: m.axis}, Optimizer: adam}, err
}

// perceptron returns a network of dense layers with random weights.
func perceptron() (*ir.Module, error) {
	r := rand.New(rand.NewPCG(1, 2))
	x := &ir.Value{Name: "x", Type: ir.TensorOf(tensor.Float32, ir.Sym("batch"), ir.C(784))}
	body := &ir.Region{Params: []*ir.Value{x}}
	m := &ir.Module{Name: "mlp", File: "mlp", Opsets: map[string]int{"": 21}, Main: &ir.Func{Name: "main", Body: body}}
	b := &ir.Builder{Module: m, Infer: op.Inferrer{}}
	sizes := []int{784, 512, 256, 10}
	for i, n := range sizes[1:] {
		if i > 0 {
			x = b.Op("Relu", x)
		}
		w := ir.NewConst(m.FreshName("w"), uniform(r, n, sizes[i]))
		x = b.OpA("Gemm", ir.Attrs{{Name: "transB", Value: int64(1)}}, x, w, ir.NewConst(m.FreshName("b"), tensor.New(tensor.Float32, n)))
	}
	body.Nodes, body.Results = b.Nodes, []*ir.Value{x}
	return m, b.Err()
}

// uniform returns an out×in matrix with PyTorch's initial distribution.
func uniform(r *rand.Rand, out, in int) *tensor.Tensor {
	t := tensor.New(tensor.Float32, out, in)
	w := tensor.Data[float32](t)
	for i := range w {
		w[i] = (2*r.Float32() - 1) / float32(math.Sqrt(float64(in)))
	}
	return t
}
