package onnx

import (
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// tensor reads a dense tensor, whose elements stand in one of seven fields or
// in a file beside the model's.
func (d *decoder) tensor(p *onnxpb.TensorProto) (*tensor.Tensor, error) {
	if p == nil {
		return nil, errors.New("has no tensor")
	}
	if p.Segment != nil {
		return nil, errors.New("tensors in segments are not supported")
	}
	if _, err := dtype(p.GetDataType()); err != nil {
		return nil, err
	}
	if err := checkDims(p.Dims); err != nil {
		return nil, err
	}
	f := tensorio.Fields{
		DType:   p.GetDataType(),
		Dims:    p.Dims,
		Raw:     p.RawData,
		Floats:  p.FloatData,
		Int32s:  p.Int32Data,
		Strings: p.StringData,
		Int64s:  p.Int64Data,
		Doubles: p.DoubleData,
		Uint64s: p.Uint64Data,
	}
	if p.GetDataLocation() == onnxpb.TensorProto_EXTERNAL {
		raw, err := d.data.read(p)
		if err != nil {
			return nil, err
		}
		f = tensorio.Fields{DType: f.DType, Dims: f.Dims, Raw: raw}
	}
	return f.Tensor()
}

func checkDims(dims []int64) error {
	n, zero := int64(1), false
	for i, x := range dims {
		if x < 0 {
			return fmt.Errorf("dimension %d is %d, want 0 or more", i, x)
		}
		zero = zero || x == 0
	}
	if zero {
		return nil
	}
	for _, x := range dims {
		if x > maxElems/n {
			return errors.New("shape has more than 1<<40 elements")
		}
		n *= x
	}
	return nil
}
