package op

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// constant is an operand that holds an attribute too long to stand in a call.
func constant[T tensor.Element](l *Lowering, name string, data []T) *ir.Value {
	if data == nil {
		data = []T{}
	}
	return l.constTensor(name, tensor.Of(data, len(data)))
}

func (l *Lowering) constTensor(name string, t *tensor.Tensor) *ir.Value {
	base := l.Name
	if base == "" && l.Res(0) != nil {
		base = l.Res(0).Name
	}
	return ir.NewConst(base+"_"+name, t)
}

func (l *Lowering) strings(name string, data []string) *ir.Value { return constant(l, name, data) }

// floats32 are the elements of a list attribute as float32.
func (l *Lowering) floats32(name string, data []float64) *ir.Value {
	return constant(l, name, narrowed(data))
}

func narrowed(data []float64) []float32 {
	out := make([]float32, len(data))
	for i, v := range data {
		out[i] = float32(v)
	}
	return out
}

// int64s are the elements of a list attribute as int64.
func (l *Lowering) int64s(name string, data []int) *ir.Value {
	out := make([]int64, len(data))
	for i, v := range data {
		out[i] = int64(v)
	}
	return constant(l, name, out)
}

// floatElems are the elements of a tensor of floats, nil if it is another.
func floatElems(t *tensor.Tensor) []float64 {
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
