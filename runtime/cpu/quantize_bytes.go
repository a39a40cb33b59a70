package cpu

import "math"

// bytesOf returns x as bytes in the same memory, or nil if its elements are not bytes.
func bytesOf[T any](x []T) []byte {
	switch x := any(x).(type) {
	case []uint8:
		return x
	case []int8:
		return asBytes(x)
	}
	return nil
}

// dequantBytes is [bytesOf]; it also tells whether the bytes are signed.
func dequantBytes[T any](x []T) (raw []byte, signed bool) {
	_, signed = any(x).([]int8)
	return bytesOf(x), signed
}

// quantizeBytesGo is
//
//	for i, v := range x {
//		dst[i] = round(min(max(v/scale, low), high)) + zero
//	}
//
// where NaN counts as 0, a half is rounded to even, and the sums fit into a byte.
func quantizeBytesGo(dst []byte, x []float32, scale, low, high float32, zero int32) {
	for i, v := range x[:len(dst)] {
		v /= scale
		if v != v {
			v = 0
		}
		dst[i] = byte(int32(math.RoundToEven(float64(min(max(v, low), high)))) + zero)
	}
}

// dequantizeBytesGo is
//
//	for i, v := range x {
//		dst[i] = (v - zero) * scale
//	}
func dequantizeBytesGo(dst []float32, x []byte, signed bool, scale float32, zero int32) {
	if signed {
		for i, v := range x[:len(dst)] {
			dst[i] = float32(int32(int8(v))-zero) * scale
		}
		return
	}
	for i, v := range x[:len(dst)] {
		dst[i] = float32(int32(v)-zero) * scale
	}
}

// intsToFloatsGo is
//
//	for i := range dst {
//		dst[i] = float32(x[i])
//	}
func intsToFloatsGo(dst []float32, x []int32) {
	for i, v := range x[:len(dst)] {
		dst[i] = float32(v)
	}
}
