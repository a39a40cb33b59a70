package eval

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// packer converts a tensor with a function of package cpu, which takes it and the sizes d.
type packer func(t *tensor.Tensor, d []int) *tensor.Tensor

// joined are the packers that join functions of package cpu.
var joined = map[string]packer{"PackTaps8": packTaps8}

// packTaps8 packs the filters of a depthwise convolution with wider elements: each tap becomes several.
func packTaps8(w *tensor.Tensor, d []int) *tensor.Tensor {
	channels, taps, parts := d[0], d[1], d[2]
	split := make([]int8, w.Len()*parts)
	cpu.SplitTaps(split, tensor.Data[int16](w), channels, taps, parts)
	return packers["PackDepth8"](tensor.Of(split, len(split)), []int{channels, taps * parts})
}

// Pack returns the operand in the packer's layout.
func Pack(p op.Packed) *tensor.Tensor {
	pack := packers[p.Packer]
	if pack == nil {
		pack = joined[p.Packer]
	}
	t := pack(p.Const, p.Dims)
	switch p.Elem {
	case tensor.Float16:
		return halves[tensor.F16](t)
	case tensor.BFloat16:
		return halves[tensor.BF16](t)
	}
	return t
}

// halves returns floats in a type of 16 bits that has all of their values.
func halves[T cpu.Half](t *tensor.Tensor) *tensor.Tensor {
	dst := make([]T, t.Len())
	cpu.CastToSmall(dst, tensor.Data[float32](t), false, 0)
	return tensor.Of(dst, len(dst))
}

func derive(d op.Derived) *tensor.Tensor { return makers[d.Maker](Pack(d.Packed), d.Sizes) }

func (e *env) pack(p op.Packed) *tensor.Tensor { return Pack(p) }
