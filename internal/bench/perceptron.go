package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// perceptrons are the networks of dense layers that the bench generates: the sizes of their layers, the input
// first.
var perceptrons = [][]int{
	{8, 16, 4},
	{16, 32, 32, 8},
	{64, 64, 64, 10},
	{784, 512, 256, 10},
}

// writePerceptrons writes a case for each network and returns the folders.
func writePerceptrons(dir string) ([]string, error) {
	var out []string
	for _, sizes := range perceptrons {
		name := "mlp"
		for _, n := range sizes {
			name += fmt.Sprint("-", n)
		}
		out = append(out, filepath.Join(dir, name))
		if err := writeCase(out[len(out)-1], sizes); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// writeCase writes a case in the format of ONNX's backend tests, without the output.
func writeCase(dir string, sizes []int) error {
	rng := rand.New(rand.NewPCG(1, 2))
	m, err := perceptron(rng, sizes)
	if err != nil {
		return err
	}
	model, err := onnx.Encode(m)
	if err != nil {
		return err
	}
	data := filepath.Join(dir, "test_data_set_0")
	if err := os.MkdirAll(data, 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "model.onnx"), model, 0o666); err != nil {
		return err
	}
	x := tensorio.AppendTensor(nil, "x", uniform(rng, 1, sizes[0]))
	return os.WriteFile(filepath.Join(data, "input_0.pb"), x, 0o666)
}

// perceptron returns a network of layers with the given sizes and relu between them, for one sample at a
// time.
func perceptron(rng *rand.Rand, sizes []int) (*ir.Module, error) {
	x := &ir.Value{Name: "x", Type: ir.TensorOf(tensor.Float32, ir.C(1), ir.C(sizes[0]))}
	body := &ir.Region{Params: []*ir.Value{x}}
	m := &ir.Module{Name: "mlp", Opsets: map[string]int{"": 21}, Main: &ir.Func{Name: "main", Body: body}}
	b := &ir.Builder{Module: m, Infer: op.Inferrer{}}
	for i, n := range sizes[1:] {
		if i > 0 {
			x = b.Op("Relu", x)
		}
		w, bias := uniform(rng, sizes[i], n), uniform(rng, n)
		x = b.Op("Gemm", x, ir.NewConst(m.FreshName("w"), w), ir.NewConst(m.FreshName("b"), bias))
	}
	body.Nodes, body.Results = b.Nodes, []*ir.Value{x}
	return m, b.Err()
}

// uniform returns random numbers between -1/2 and 1/2.
func uniform(rng *rand.Rand, shape ...int) *tensor.Tensor {
	t := tensor.New(tensor.Float32, shape...)
	x := tensor.Data[float32](t)
	for i := range x {
		x[i] = rng.Float32() - 0.5
	}
	return t
}
