package cpu

import (
	"unsafe"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Cast is dst[i] = D(x[i]): fractions are dropped, and integers that are too large lose their upper bits. Floats that are too
// large, and NaN, become the same integers on every processor: see floatsToInts.
func Cast[D Number, S Number | tensor.I4 | tensor.U4 | tensor.I2 | tensor.U2](dst []D, x []S) {
	if d, ok := any(dst).([]float32); ok {
		if ints, ok := any(x).([]int32); ok {
			intsToFloats(d, ints)
			return
		}
	}
	if floatsToInts(dst, x) {
		return
	}
	for i, v := range x[:len(dst)] {
		dst[i] = D(v)
	}
}

// CastToBool is dst[i] = x[i] != 0.
func CastToBool[S Number | tensor.I4 | tensor.U4 | tensor.I2 | tensor.U2](dst []bool, x []S) {
	for i, v := range x[:len(dst)] {
		dst[i] = v != 0
	}
}

// CastFromBool is dst[i] = 1 where x[i] is true, 0 elsewhere.
func CastFromBool[D Number](dst []D, x []bool) {
	for i, v := range x[:len(dst)] {
		dst[i] = 0
		if v {
			dst[i] = 1
		}
	}
}

// CastToInt4 is dst[i] = the lowest bits of x[i], as many as D has, which are fewer than eight. Floats become int64 before, as
// by [Cast].
func CastToInt4[D tensor.I4 | tensor.U4 | tensor.I2 | tensor.U2, S Number](dst []D, x []S) {
	switch x := any(x).(type) {
	case []float32:
		lowestBits(dst, x, toInt64[float32])
	case []float64:
		lowestBits(dst, x, toInt64[float64])
	default:
		lowestBits(dst, x.([]S), func(v S) int64 { return int64(v) })
	}
}

func lowestBits[D tensor.I4 | tensor.U4 | tensor.I2 | tensor.U2, S any](dst []D, x []S, whole func(S) int64) {
	switch d := any(dst).(type) {
	case []tensor.I4:
		for i, v := range x[:len(d)] {
			d[i] = tensor.ToInt4(whole(v))
		}
	case []tensor.U4:
		for i, v := range x[:len(d)] {
			d[i] = tensor.ToUint4(whole(v))
		}
	case []tensor.I2:
		for i, v := range x[:len(d)] {
			d[i] = tensor.ToInt2(whole(v))
		}
	case []tensor.U2:
		for i, v := range x[:len(d)] {
			d[i] = tensor.ToUint2(whole(v))
		}
	}
}

// BitCast copies the bits of x to dst, whose elements have the same size.
func BitCast[D, S any](dst []D, x []S) {
	if len(dst) == 0 {
		return
	}
	n := len(dst) * int(unsafe.Sizeof(dst[0]))
	to := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(dst))), n)
	copy(to, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), n))
	// In types below a byte, and in bool, only one value of some bits is valid.
	switch d := any(dst).(type) {
	case []bool:
		for i, v := range to {
			to[i] = min(v, 1)
		}
	case []tensor.I4:
		for i, v := range to {
			d[i] = tensor.ToInt4(int64(v))
		}
	case []tensor.I2:
		for i, v := range to {
			d[i] = tensor.ToInt2(int64(v))
		}
	case []tensor.U2:
		for i, v := range to {
			d[i] = tensor.ToUint2(int64(v))
		}
	case []tensor.U4, []tensor.F4E2M1:
		for i, v := range to {
			to[i] = v & 15
		}
	}
}
