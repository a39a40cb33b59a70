package export

import (
	"fmt"
	"os"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/internal/cmd/models"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/safetensors"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// vector writes a model to out with the concatenated weights in a file. The model is an ONNX file, or a model
// of the program with its peers in a folder.
func vector(model, weights, out string, o Options) error {
	values, err := readVector(weights)
	if err != nil {
		return err
	}
	m, err := modelOf(model, len(values))
	if err != nil {
		return fmt.Errorf("%s: %w", weights, err)
	}
	tensors, err := m.Split(values)
	if err != nil {
		return fmt.Errorf("%s: %w", weights, err)
	}
	return put(m.File, weights, &safetensors.File{Tensors: tensors}, out, o)
}

// modelOf returns the model of a file. For a folder of peers, it returns the model of their program with the
// given number of weights.
func modelOf(model string, size int) (*models.Model, error) {
	if st, err := os.Stat(model); err == nil && st.IsDir() {
		list, err := models.Read(model)
		if err != nil {
			return nil, err
		}
		return list.BySize(size)
	}
	in, err := onnx.ReadFile(model)
	if err != nil {
		return nil, err
	}
	list, err := bbgen.Weights(in)
	return &models.Model{File: model, Weights: list}, err
}

// readVector reads an .npy file of floats.
func readVector(name string) ([]float32, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	t, err := tensorio.DecodeNPY(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if t.DType != tensor.Float32 || len(t.Shape) != 1 {
		return nil, fmt.Errorf("%s is %v, want a vector of float32: the weights one behind the other", name, t)
	}
	return tensor.Data[float32](t), nil
}
