package remote

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Settings are the element types of tensors that are made on a device without one. They belong to the [Device], and not
// to the session of another client.
type Settings struct {
	Float tensor.DType // of RegisterFloats, and of RandomNormal, RandomUniform, ConstantOfShape and windows without a type
	Int   tensor.DType // of RegisterInts
}

// defaultSettings are those of ONNX.
var defaultSettings = Settings{Float: tensor.Float32, Int: tensor.Int64}

// Settings returns the settings: float32 and int64 if none were set.
func (d *Device) Settings() Settings {
	if s := d.settings.Load(); s != nil {
		return *s
	}
	return defaultSettings
}

// Set changes the settings for later operations of all streams.
func (d *Device) Set(s Settings) error {
	if !s.Float.IsFloat() || s.Float.Bits() < 16 {
		return fmt.Errorf("settings: floats as %v, want float16, bfloat16, float32 or float64", s.Float)
	}
	if !s.Int.IsInt() || s.Int.Bits() < 8 {
		return fmt.Errorf("settings: integers as %v, want int8 to int64, or uint8 to uint64", s.Int)
	}
	d.settings.Store(&s)
	return nil
}

// RegisterFloats copies numbers to the server, rounded to Settings.Float.
func (s *Stream) RegisterFloats(v []float64, shape ...int) *Tensor {
	t, err := made(s.device.Settings().Float, len(v), shape)
	if err != nil {
		return broken(s.device, 1, fmt.Errorf("RegisterFloats: %w", err))[0]
	}
	switch x := t.Data.(type) {
	case []float64:
		copy(x, v)
	case []float32:
		for i := range v {
			x[i] = float32(v[i])
		}
	case []tensor.F16:
		for i := range v {
			x[i] = tensor.ToFloat16(float32(v[i]))
		}
	case []tensor.BF16:
		for i := range v {
			x[i] = tensor.ToBFloat16(float32(v[i]))
		}
	}
	return s.Register(t)
}

// RegisterInts copies numbers to the server as Settings.Int. A number that is not in its range is an error, which the
// tensor's reader gets.
func (s *Stream) RegisterInts(v []int64, shape ...int) *Tensor {
	t, err := made(s.device.Settings().Int, len(v), shape)
	if err == nil {
		err = setInts(t, v)
	}
	if err != nil {
		return broken(s.device, 1, fmt.Errorf("RegisterInts: %w", err))[0]
	}
	return s.Register(t)
}

// made returns a tensor for n elements, if its shape has as many.
func made(d tensor.DType, n int, shape []int) (*tensor.Tensor, error) {
	if err := tensor.CheckSize(d.Size(), shape); err != nil {
		return nil, err
	}
	t := tensor.New(d, shape...)
	if t.Len() != n {
		return nil, fmt.Errorf("%d numbers for the shape %v, want %d", n, shape, t.Len())
	}
	return t, nil
}

func setInts(t *tensor.Tensor, v []int64) error {
	switch x := t.Data.(type) {
	case []int64:
		copy(x, v)
		return nil
	case []int32:
		return narrow(x, v)
	case []int16:
		return narrow(x, v)
	case []int8:
		return narrow(x, v)
	case []uint64:
		return narrow(x, v)
	case []uint32:
		return narrow(x, v)
	case []uint16:
		return narrow(x, v)
	default:
		return narrow(tensor.Data[uint8](t), v)
	}
}

func narrow[T int32 | int16 | int8 | uint64 | uint32 | uint16 | uint8](x []T, v []int64) error {
	for i, n := range v {
		if x[i] = T(n); int64(x[i]) != n || n < 0 && x[i] > 0 {
			return fmt.Errorf("number %d is %d, which is not in the range of %T", i, n, x[i])
		}
	}
	return nil
}

// typeAttrs are the attributes with the element type of an operator of ONNX that makes a tensor of none.
var typeAttrs = map[string]string{
	"RandomNormal": "dtype", "RandomUniform": "dtype",
	"HannWindow": "output_datatype", "HammingWindow": "output_datatype", "BlackmanWindow": "output_datatype",
	"ConstantOfShape": "value",
}

// typed returns the attributes of an operator, with an element type if it has none.
func (s Settings) typed(op *Op) Attrs {
	name := typeAttrs[op.Name]
	if _, has := op.Attrs[name]; has || name == "" || op.Domain != "" || s.Float == tensor.Float32 { // ONNX's default
		return op.Attrs
	}
	attrs := Attrs{name: s.Float}
	if name == "value" {
		attrs[name] = tensor.New(s.Float, 1)
	}
	for k, v := range op.Attrs {
		attrs[k] = v
	}
	return attrs
}
