package onnx

import (
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// maxDense bounds how many bytes the sparse tensors of a file may become: a few
// bytes of file could ask for all memory.
const maxDense = 1 << 30

// sparse reads a sparse tensor as the dense one that it stands for.
func (d *decoder) sparse(p *onnxpb.SparseTensorProto) (*tensor.Tensor, error) {
	if p == nil {
		return nil, errors.New("has no sparse tensor")
	}
	values, err := d.tensor(p.Values)
	if err != nil {
		return nil, fmt.Errorf("values: %w", err)
	}
	at, err := d.positions(p, values)
	if err != nil {
		return nil, err
	}
	shape := make([]int, len(p.Dims))
	for i, x := range p.Dims {
		shape[i] = int(x)
	}
	n, err := tensor.NumElements(shape)
	if err != nil {
		return nil, err
	}
	// A string takes as much as its header, whatever it says.
	if n > (maxDense-d.dense)/max(values.DType.Size(), 16) {
		return nil, fmt.Errorf("sparse tensor has %d elements, too many to store them all", n)
	}
	t := tensor.New(values.DType, shape...)
	d.dense += n * max(values.DType.Size(), 16)
	scatter(t, values, at)
	return t, nil
}

// positions are the places of the values in the dense tensor. Indices are
// positions already, or a row of coordinates for each value.
func (d *decoder) positions(p *onnxpb.SparseTensorProto, values *tensor.Tensor) ([]int, error) {
	if err := checkDims(p.Dims); err != nil {
		return nil, err
	}
	indices, err := d.tensor(p.Indices)
	if err != nil {
		return nil, fmt.Errorf("indices: %w", err)
	}
	if indices.DType != tensor.Int64 {
		return nil, fmt.Errorf("indices are %v, want int64", indices.DType)
	}
	if len(values.Shape) != 1 {
		return nil, fmt.Errorf("values have rank %d, want 1", len(values.Shape))
	}
	dims := p.Dims
	switch {
	case len(indices.Shape) == 1: // one coordinate in the flat tensor
		n := int64(1)
		for _, x := range dims {
			n *= x
		}
		dims = []int64{n}
	case len(indices.Shape) != 2 || indices.Shape[1] != len(dims):
		return nil, fmt.Errorf("indices have shape %v, want one or %d for each value", indices.Shape, len(dims))
	}
	if indices.Shape[0] != values.Len() {
		return nil, fmt.Errorf("%d indices for %d values", indices.Shape[0], values.Len())
	}
	return flatten(tensor.Data[int64](indices), dims, values.Len())
}

// flatten turns n rows of coordinates into positions.
func flatten(coords, dims []int64, n int) ([]int, error) {
	at := make([]int, n)
	for i := range at {
		pos := int64(0)
		for k, size := range dims {
			x := coords[i*len(dims)+k]
			if x < 0 || x >= size {
				return nil, fmt.Errorf("index %d of value %d is outside of dimension %d", x, i, size)
			}
			pos = pos*size + x
		}
		at[i] = int(pos)
	}
	return at, nil
}

// scatter stores the values at their places.
func scatter(t, values *tensor.Tensor, at []int) {
	if t.DType == tensor.String {
		dst, src := tensor.Data[string](t), tensor.Data[string](values)
		for i, k := range at {
			dst[k] = src[i]
		}
		return
	}
	dst, src, size := t.Bytes(), values.Bytes(), t.DType.Size()
	for i, k := range at {
		copy(dst[k*size:(k+1)*size], src[i*size:])
	}
}
