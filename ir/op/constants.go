package op

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Constant returns an operand with the content of an attribute that is too long for a call.
func Constant[T tensor.Element](l *Lowering, name string, data []T) *ir.Value {
	if data == nil {
		data = []T{}
	}
	return l.ConstTensor(name, tensor.Of(data, len(data)))
}

// ConstTensor is like [Constant], for a tensor of any shape.
func (l *Lowering) ConstTensor(name string, t *tensor.Tensor) *ir.Value {
	base := l.Name
	if base == "" && l.Res(0) != nil {
		base = l.Res(0).Name
	}
	return ir.NewConst(base+"_"+name, t)
}

// Strings returns the elements of a list attribute of strings.
func (l *Lowering) Strings(name string, data []string) *ir.Value { return Constant(l, name, data) }

// Floats32 returns the elements of a list attribute as float32.
func (l *Lowering) Floats32(name string, data []float64) *ir.Value {
	return Constant(l, name, Narrowed(data))
}

// Narrowed converts float64s to float32s.
func Narrowed(data []float64) []float32 {
	out := make([]float32, len(data))
	for i, v := range data {
		out[i] = float32(v)
	}
	return out
}

// Int64s returns the elements of a list attribute as int64.
func (l *Lowering) Int64s(name string, data []int) *ir.Value {
	out := make([]int64, len(data))
	for i, v := range data {
		out[i] = int64(v)
	}
	return Constant(l, name, out)
}

// FloatElems returns the elements of a tensor of floats, or nil for other types.
func FloatElems(t *tensor.Tensor) []float64 {
	if t == nil {
		return nil
	}
	switch d := t.Data.(type) {
	case []float64:
		return d
	case []float32:
		out := make([]float64, len(d))
		for i, v := range d {
			out[i] = float64(v)
		}
		return out
	case []tensor.F16:
		out := make([]float64, len(d))
		for i, v := range d {
			out[i] = float64(v.Float32())
		}
		return out
	}
	return nil
}
