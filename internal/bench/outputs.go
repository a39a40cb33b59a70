package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// tolerance is how far an output may be from the expected one: relative to each element, and to the largest.
type tolerance struct{ element, largest float64 }

// Rounding changes floats in the last bits, and may change quantized values by a quantum.
var (
	rounding = tolerance{1e-3, 1e-4}
	quanta   = tolerance{2e-2, 3e-2}
)

// toleranceOf returns the tolerance for a model's outputs.
func toleranceOf(m *ir.Module) tolerance {
	quantized := false
	m.Main.Body.Walk(func(n *ir.Node) {
		switch n.Op {
		case "QuantizeLinear", "DynamicQuantizeLinear", "MatMulInteger", "ConvInteger", "QLinearConv", "QLinearMatMul":
			quantized = true
		}
	})
	if quantized {
		return quanta
	}
	return rounding
}

// compareFolders compares the outputs in two folders, as files output_I.pb. A folder without a first output is an error.
func compareFolders(got, want string, tol tolerance) error {
	for i := 0; ; i++ {
		name := fmt.Sprintf("output_%d.pb", i)
		w, err := readTensor(filepath.Join(want, name))
		if i > 0 && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		g, err := readTensor(filepath.Join(got, name))
		if err != nil {
			return err
		}
		if err := tol.compare(g, w); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
}

// readTensor reads a TensorProto.
func readTensor(name string) (*tensor.Tensor, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	t, _, err := tensorio.DecodeTensor(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// compare compares tensors by value: an engine may have another element type for integers.
func (tol tolerance) compare(got, want *tensor.Tensor) error {
	if got.DType == tensor.String || want.DType == tensor.String {
		return fmt.Errorf("elements of %v and %v cannot be compared", got.DType, want.DType)
	}
	g, w := compare.Floats(got), compare.Floats(want)
	if len(g) != len(w) {
		return fmt.Errorf("the shape is %v, want %v", got.Shape, want.Shape)
	}
	largest := 0.0
	for _, v := range w {
		if !math.IsInf(v, 0) {
			largest = max(largest, math.Abs(v))
		}
	}
	for i, v := range w {
		switch bound := tol.element*math.Abs(v) + tol.largest*largest; {
		case g[i] == v, math.IsNaN(g[i]) && math.IsNaN(v), math.Abs(g[i]-v) <= bound && !math.IsInf(v, 0):
		default:
			return fmt.Errorf("element %d is %v, want %v", i, g[i], v)
		}
	}
	return nil
}
