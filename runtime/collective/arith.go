package collective

import (
	"math"
	"unsafe"

	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// number is an element type of reductions.
type number interface {
	float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// combine is
//
//	for i := range dst {
//		dst[i] = a[i] + b[i]
//	}
//
// or the larger of the two, in elements of the spec's type.
func combine(s *Spec, dst, a, b []byte) {
	switch s.Elem {
	case tensor.Float32:
		combine32(s.Op, dst, a, b)
	case tensor.Float64:
		combineOf[float64](s.Op, dst, a, b)
	case tensor.Int8:
		combineOf[int8](s.Op, dst, a, b)
	case tensor.Int16:
		combineOf[int16](s.Op, dst, a, b)
	case tensor.Int32:
		combineOf[int32](s.Op, dst, a, b)
	case tensor.Int64:
		combineOf[int64](s.Op, dst, a, b)
	case tensor.Uint8:
		combineOf[uint8](s.Op, dst, a, b)
	case tensor.Uint16:
		combineOf[uint16](s.Op, dst, a, b)
	case tensor.Uint32:
		combineOf[uint32](s.Op, dst, a, b)
	case tensor.Uint64:
		combineOf[uint64](s.Op, dst, a, b)
	default:
		panic("BUG: no reduction of " + s.Elem.String())
	}
}

// combine32 is combineOf for float32, with vector instructions where they are worth most.
func combine32(o Op, dst, a, b []byte) {
	if o == Max {
		combineOf[float32](o, dst, a, b)
		return
	}
	cpu.VecAdd32(view[float32](dst), view[float32](a), view[float32](b))
}

func combineOf[T number](o Op, dst, a, b []byte) {
	x, y, z := view[T](dst), view[T](a), view[T](b)
	y, z = y[:len(x)], z[:len(x)]
	if o == Max {
		for i := range x {
			x[i] = max(y[i], z[i])
		}
		return
	}
	for i := range x {
		x[i] = y[i] + z[i]
	}
}

func view[T tensor.Element](b []byte) []T {
	var x T
	return tensor.View[T](b, 0, len(b)/int(unsafe.Sizeof(x)))
}

func isAligned(b []byte) bool { return uintptr(unsafe.Pointer(unsafe.SliceData(b)))%8 == 0 }

// divide divides sums by their number of terms.
func divide(d tensor.DType, x []byte, by int) {
	switch d {
	case tensor.Float32:
		divideOf(view[float32](x), float32(by))
	case tensor.Float64:
		divideOf(view[float64](x), float64(by))
	default:
		panic("BUG: no mean of " + d.String())
	}
}

func divideOf[T float32 | float64](x []T, by T) {
	for i := range x {
		x[i] /= by
	}
}

// widen sets sum to the elements of x if they are the first, otherwise adds them.
func widen(s *Spec, sum []float32, x []byte, first bool) {
	switch {
	case s.Codec == Int8:
		widenBlocks(s.Op, sum, x, first)
	case s.Codec == BFloat16 || s.Elem == tensor.BFloat16:
		widenOf(s.Op, sum, view[tensor.BF16](x), first)
	default:
		widenOf(s.Op, sum, view[tensor.F16](x), first)
	}
}

func widenOf[T interface {
	tensor.F16 | tensor.BF16
	Float32() float32
}](o Op, sum []float32, x []T, first bool) {
	for i := range sum {
		switch v := x[i].Float32(); {
		case first:
			sum[i] = v
		case o == Max:
			sum[i] = max(sum[i], v)
		default:
			sum[i] += v
		}
	}
}

// narrow rounds a sum to the element type, or encodes it.
func narrow(s *Spec, dst []byte, sum []float32) {
	if s.Codec != Exact {
		s.encodeRow(dst, sum)
		return
	}
	if s.Elem == tensor.BFloat16 {
		for i, x := 0, view[tensor.BF16](dst); i < len(sum); i++ {
			x[i] = tensor.ToBFloat16(sum[i])
		}
		return
	}
	for i, x := 0, view[tensor.F16](dst); i < len(sum); i++ {
		x[i] = tensor.ToFloat16(sum[i])
	}
}

// finite reports whether all elements are finite. Elements that are not floats are.
func finite(d tensor.DType, b []byte) bool {
	switch d {
	case tensor.Float32:
		return finiteBits(b, 4, 0x7f800000)
	case tensor.Float64:
		return finiteBits(b, 8, math.MaxUint64>>1&^(1<<52-1))
	case tensor.Float16:
		return finiteBits(b, 2, 0x7c00)
	case tensor.BFloat16:
		return finiteBits(b, 2, 0x7f80)
	}
	return true
}

// finiteBits reports whether no element, little endian, has all bits of its exponent.
func finiteBits(b []byte, size int, exponent uint64) bool {
	for ; len(b) >= size; b = b[size:] {
		var x uint64
		for i := range size {
			x |= uint64(b[i]) << (8 * i)
		}
		if x&exponent == exponent {
			return false
		}
	}
	return true
}
