package eval

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// packers convert a constant operand into the layout that a kernel reads.
var packers = map[string]func(t *tensor.Tensor, dims []int) *tensor.Tensor{
	"PackB32":  packer(cpu.PackB32Size, cpu.PackB32),
	"PackB32T": packer(cpu.PackB32Size, cpu.PackB32T),
	"PackB8":   packer(cpu.PackB8Size, cpu.PackB8),
	"PackB8T":  packer(cpu.PackB8Size, cpu.PackB8T),
	"PackNBits": func(t *tensor.Tensor, d []int) *tensor.Tensor {
		dst := make([]byte, cpu.PackNBitsSize(d[0], d[1], d[2]))
		cpu.PackNBits(dst, tensor.Data[uint8](t), d[0], d[1], d[2])
		return tensor.Of(dst, len(dst))
	},
	"PackNBitsZeros": func(t *tensor.Tensor, d []int) *tensor.Tensor {
		dst := make([]float32, cpu.PackNBitsZerosSize(d[0], d[1]))
		cpu.PackNBitsZeros(dst, tensor.Data[uint8](t), d[0], d[1], d[2])
		return tensor.Of(dst, len(dst))
	},
	"PackConv32": func(w *tensor.Tensor, d []int) *tensor.Tensor {
		dst := make([]float32, cpu.PackConv32Size(d[0], d[1], d[2], d[3]))
		cpu.PackConv32(dst, tensor.Data[float32](w), d[0], d[1], d[2], d[3])
		return tensor.Of(dst, len(dst))
	},
	"PackConvAdjacent32": func(w *tensor.Tensor, d []int) *tensor.Tensor {
		dst := make([]float32, cpu.PackConvAdjacent32Size(d[0], d[1], d[2], d[3], d[4], d[5]))
		cpu.PackConvAdjacent32(dst, tensor.Data[float32](w), d[0], d[1], d[2], d[3], d[4], d[5])
		return tensor.Of(dst, len(dst))
	},
	"PackConv8": func(w *tensor.Tensor, d []int) *tensor.Tensor {
		dst := make([]int8, cpu.PackConv8Size(d[0], d[1], d[2], d[3], d[4]))
		cpu.PackConv8(dst, tensor.Data[int8](w), d[0], d[1], d[2], d[3], d[4])
		return tensor.Of(dst, len(dst))
	},
	"PackConvTranspose32": func(w *tensor.Tensor, d []int) *tensor.Tensor {
		dst := make([]float32, cpu.PackConvTranspose32Size(d[0], d[1], d[2]))
		cpu.PackConvTranspose32(dst, tensor.Data[float32](w), d[0], d[1], d[2])
		return tensor.Of(dst, len(dst))
	},
	"PackDepth8": func(w *tensor.Tensor, d []int) *tensor.Tensor {
		channels, taps, parts := d[0], d[1], d[2]
		split, dst := make([]int8, w.Len()*parts), make([]int8, cpu.PackDepth8Size(channels, taps*parts))
		cpu.SplitTaps(split, tensor.Data[int16](w), channels, taps, parts)
		cpu.PackDepth8(dst, split, channels, taps*parts)
		return tensor.Of(dst, len(dst))
	},
	"PackDepthwise32": packer(cpu.PackDepthwise32Size, cpu.PackDepthwise32),
	"PackGates8": func(t *tensor.Tensor, d []int) *tensor.Tensor {
		dst := make([]int8, cpu.PackGates8Size(d[0], d[1], d[2]))
		cpu.PackGates8(dst, tensor.Data[int8](t), d[0], d[1], d[2])
		return tensor.Of(dst, len(dst))
	},
	"PackGates": func(t *tensor.Tensor, d []int) *tensor.Tensor {
		dst := make([]float32, cpu.PackGatesSize(d[0], d[1], d[2:]...))
		cpu.PackGates(dst, tensor.Data[float32](t), d[0], d[1], d[2:]...)
		return tensor.Of(dst, len(dst))
	},
}

// packer returns a packer of matrices of the given sizes.
func packer[T tensor.Element](size func(m, n int) int, pack func(dst, x []T, m, n int)) func(*tensor.Tensor, []int) *tensor.Tensor {
	return func(t *tensor.Tensor, d []int) *tensor.Tensor {
		dst := make([]T, size(d[0], d[1]))
		pack(dst, tensor.Data[T](t), d[0], d[1])
		return tensor.Of(dst, len(dst))
	}
}

// Pack returns the operand in the packer's layout.
func Pack(p op.Packed) *tensor.Tensor {
	t := packers[p.Packer](p.Const, p.Dims)
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

// makers derive data from packed operands.
var makers = map[string]func(t *tensor.Tensor, sizes []int) *tensor.Tensor{
	"WinogradFilters32": func(t *tensor.Tensor, s []int) *tensor.Tensor {
		u := cpu.WinogradFilters32(tensor.Data[float32](t), s[0], s[1])
		return tensor.Of(u, len(u))
	},
	"WinogradGroups32": func(t *tensor.Tensor, s []int) *tensor.Tensor {
		u := cpu.WinogradGroups32(tensor.Data[float32](t), s[0], s[1], s[2])
		return tensor.Of(u, len(u))
	},
	"WinogradSmall32": func(t *tensor.Tensor, s []int) *tensor.Tensor {
		u := cpu.WinogradSmall32(tensor.Data[float32](t), s[0], s[1], s[2])
		return tensor.Of(u, len(u))
	},
	"WinogradFilters8": func(t *tensor.Tensor, s []int) *tensor.Tensor {
		u := cpu.WinogradFilters8(tensor.Data[int8](t), s[0], s[1], s[2], s[3])
		return tensor.Of(u, len(u))
	},
}

func derive(d op.Derived) *tensor.Tensor { return makers[d.Maker](Pack(d.Packed), d.Sizes) }

func (e *env) pack(p op.Packed) *tensor.Tensor { return Pack(p) }
