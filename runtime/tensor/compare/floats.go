package compare

import "github.com/bbgen/bbgen/runtime/tensor"

// Floats returns the elements of a tensor of numbers or booleans.
func Floats(t *tensor.Tensor) []float64 {
	switch d := t.Data.(type) {
	case []float64:
		return d
	case []float32:
		return convert(d)
	case []int8:
		return convert(d)
	case []int16:
		return convert(d)
	case []int32:
		return convert(d)
	case []int64:
		return convert(d)
	case []uint8:
		return convert(d)
	case []uint16:
		return convert(d)
	case []uint32:
		return convert(d)
	case []uint64:
		return convert(d)
	case []tensor.I4:
		return convert(d)
	case []tensor.U4:
		return convert(d)
	case []tensor.I2:
		return convert(d)
	case []tensor.U2:
		return convert(d)
	case []bool:
		out := make([]float64, len(d))
		for i, v := range d {
			if v {
				out[i] = 1
			}
		}
		return out
	}
	return small(t)
}

type number interface {
	~float32 | ~float64 | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

func convert[T number](d []T) []float64 {
	out := make([]float64, len(d))
	for i, v := range d {
		out[i] = float64(v)
	}
	return out
}

// small returns the elements of a tensor of floats smaller than float32.
func small(t *tensor.Tensor) []float64 {
	switch d := t.Data.(type) {
	case []tensor.F16:
		return widen(d)
	case []tensor.BF16:
		return widen(d)
	case []tensor.F8E4M3FN:
		return widen(d)
	case []tensor.F8E4M3FNUZ:
		return widen(d)
	case []tensor.F8E5M2:
		return widen(d)
	case []tensor.F8E5M2FNUZ:
		return widen(d)
	case []tensor.F8E8M0:
		return widen(d)
	case []tensor.F4E2M1:
		return widen(d)
	}
	panic("BUG: no numbers in a tensor of " + t.DType.String())
}

func widen[T interface{ Float32() float32 }](d []T) []float64 {
	out := make([]float64, len(d))
	for i, v := range d {
		out[i] = float64(v.Float32())
	}
	return out
}
