package eval

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// packers bring a constant operand into the layout that a kernel reads.
var packers = map[string]func(v []float32, dims []int) []float32{
	"PackB32": func(v []float32, d []int) []float32 {
		dst := make([]float32, cpu.PackB32Size(d[0], d[1]))
		cpu.PackB32(dst, v, d[0], d[1])
		return dst
	},
	"PackB32T": func(v []float32, d []int) []float32 {
		dst := make([]float32, cpu.PackB32Size(d[0], d[1]))
		cpu.PackB32T(dst, v, d[0], d[1])
		return dst
	},
}

// Pack is the operand in the packer's layout.
func Pack(p op.Packed) *tensor.Tensor {
	t := packers[p.Packer](tensor.Data[float32](p.Const), p.Dims)
	return tensor.Of(t, len(t))
}

func (e *env) pack(p op.Packed) *tensor.Tensor { return Pack(p) }
