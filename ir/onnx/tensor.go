package onnx

import (
	"errors"

	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// tensor reads a dense tensor. Its elements are in one of seven fields, or in a file of external data.
func (d *decoder) tensor(p *onnxpb.TensorProto) (*tensor.Tensor, error) {
	if p == nil {
		return nil, errors.New("has no tensor")
	}
	if p.Segment != nil {
		return nil, errors.New("tensors in segments are not supported")
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
		return d.data.read(p, tensorio.Fields{DType: f.DType, Dims: f.Dims})
	}
	return f.Tensor()
}
