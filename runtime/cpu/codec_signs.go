package cpu

import "math"

// TakeSigns is
//
//	for i, v := range x {
//		bits[i/8] |= signbit(v) << (i % 8)
//		x[i] -= copysign(scale, v)
//	}
//
// where the bits are 0 before, and the scale is not negative.
func TakeSigns(bits []byte, x []float32, scale float32) { takeSigns(bits, x, scale) }

func takeSignsGo(bits []byte, x []float32, scale float32) {
	size := math.Float32bits(scale)
	for at := 0; at < len(x); at += 8 {
		part, all := x[at:min(at+8, len(x))], uint32(0)
		for k, v := range part {
			sign := math.Float32bits(v) >> 31
			all |= sign << k
			part[k] = v - math.Float32frombits(size|sign<<31)
		}
		bits[at/8] = byte(all)
	}
}

// PutSigns is
//
//	for i := range dst {
//		dst[i] = copysign(scale, -(bits[i/8]>>(i%8)&1))
//	}
//
// where the scale is not negative.
func PutSigns(dst []float32, bits []byte, scale float32) { putSigns(dst, bits, scale) }

func putSignsGo(dst []float32, bits []byte, scale float32) {
	size := math.Float32bits(scale)
	for i := range dst {
		sign := uint32(bits[i/8]>>(i%8)) << 31
		dst[i] = math.Float32frombits(size | sign)
	}
}
