package onnx

import (
	"errors"
	"fmt"
	"math"

	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// maxDense limits the bytes to which the sparse tensors of a file may expand, as a small file could otherwise
// require all memory.
const maxDense = 1 << 30

// sparse reads a sparse tensor as a dense one.
func (d *decoder) sparse(p *onnxpb.SparseTensorProto) (*tensor.Tensor, error) {
	if p == nil {
		return nil, errors.New("has no sparse tensor")
	}
	values, err := d.tensor(p.Values)
	if err != nil {
		return nil, fmt.Errorf("values: %w", err)
	}
	indices, err := d.tensor(p.Indices)
	if err != nil {
		return nil, fmt.Errorf("indices: %w", err)
	}
	shape, n, err := denseShape(p.Dims)
	if err != nil {
		return nil, err
	}
	at, err := positions(indices, values, shape, n)
	if err != nil {
		return nil, err
	}
	elem := values.DType.Size()
	if values.DType == tensor.String {
		elem = 16 // the header of a Go string
	}
	if n > d.dense/elem {
		return nil, fmt.Errorf("sparse tensor has %d elements, too many to store them all", n)
	}
	d.dense -= n * elem
	t := tensor.New(values.DType, shape...)
	scatter(t, values, at)
	return t, nil
}

// denseShape returns dims as a shape, and its number of elements.
func denseShape(dims []int64) ([]int, int, error) {
	shape := make([]int, len(dims))
	for i, x := range dims {
		if x > math.MaxInt {
			return nil, 0, fmt.Errorf("dimension %d is %d, want less", i, x)
		}
		shape[i] = int(x)
	}
	n, err := tensor.NumElements(shape)
	return shape, n, err
}

// positions returns the positions of the values among the n elements of the shape. The indices are positions,
// or a row of coordinates for each value.
func positions(indices, values *tensor.Tensor, shape []int, n int) ([]int, error) {
	switch {
	case indices.DType != tensor.Int64:
		return nil, fmt.Errorf("indices are %v, want int64", indices.DType)
	case len(values.Shape) != 1:
		return nil, fmt.Errorf("values have rank %d, want 1", len(values.Shape))
	case len(indices.Shape) == 1:
		shape = []int{n}
	case len(indices.Shape) != 2 || indices.Shape[1] != len(shape):
		return nil, fmt.Errorf("indices are %v, want one position or %d coordinates for each value", indices, len(shape))
	}
	if indices.Shape[0] != values.Len() {
		return nil, fmt.Errorf("%d indices for %d values", indices.Shape[0], values.Len())
	}
	return flatten(tensor.Data[int64](indices), shape, values.Len())
}

// flatten converts count rows of coordinates to positions.
func flatten(coords []int64, shape []int, count int) ([]int, error) {
	at := make([]int, count)
	for i := range at {
		for k, size := range shape {
			x := coords[i*len(shape)+k]
			if x < 0 || x >= int64(size) {
				return nil, fmt.Errorf("value %d has index %d, outside of 0 to %d", i, x, size-1)
			}
			at[i] = at[i]*size + int(x)
		}
	}
	return at, nil
}

// scatter stores the values at their positions.
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
