package cpu

import (
	"math"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Blocks tells which scale applies to an element of a tensor [Outer, N, Inner]. A single scale applies to all
// elements. Otherwise, if Shared, there is one for each index of the middle axis, or else one for every Size
// indices and each index of Inner.
type Blocks struct {
	Outer, N, Inner, Size int
	Shared                bool
}

// rows calls f for runs of elements [at:at+n] with the scales [s:s+m], where m is n or 1. Scales is the
// number of scales.
func (b Blocks) rows(scales int, f func(at, n, s, m int)) {
	blocks := (b.N + b.Size - 1) / b.Size
	switch {
	case scales == 1:
		f(0, b.Outer*b.N*b.Inner, 0, 1)
	case b.Shared && scales != b.N, !b.Shared && scales != b.Outer*blocks*b.Inner:
		fail("QuantizeLinear", "%d scales do not fit %+v", scales, b)
	case b.Shared && b.Inner == 1:
		for o := range b.Outer {
			f(o*b.N, b.N, 0, b.N)
		}
	case b.Shared:
		for i := range b.Outer * b.N {
			f(i*b.Inner, b.Inner, i%b.N, 1)
		}
	case b.Inner == 1:
		for o := range b.Outer {
			for k := range blocks {
				f(o*b.N+k*b.Size, min(b.Size, b.N-k*b.Size), o*blocks+k, 1)
			}
		}
	default:
		for o := range b.Outer {
			for k := range b.N {
				f((o*b.N+k)*b.Inner, b.Inner, (o*blocks+k/b.Size)*b.Inner, b.Inner)
			}
		}
	}
}

// QuantizeLinear is dst[i] = round(x[i]/scale) + zero, rounded to nearest even and then saturated to the
// range of D. Without a scale it is 1, without a zero point that is 0.
func QuantizeLinear[D uint8 | int8 | uint16 | int16 | tensor.I4 | tensor.U4 | tensor.I2 | tensor.U2](dst []D, x, scale []float32, zero []D, b Blocks) {
	low, high := quantRange[D]()
	raw := bytesOf(dst)
	b.rows(max(len(scale), len(zero), 1), func(at, n, s, m int) {
		d, sc, z := dst[at:at+n], float32(1), 0.0
		if raw != nil && m == 1 {
			if len(scale) > 0 {
				sc = scale[s%len(scale)]
			}
			if len(zero) > 0 {
				z = float64(zero[s%len(zero)])
			}
			quantizeBytes(raw[at:at+n], x[at:at+n], sc, float32(low-z), float32(high-z), int32(z))
			return
		}
		for i, v := range x[at : at+n] {
			if i < m { // the others share the last one
				if len(scale) > 0 {
					sc = scale[(s+i)%len(scale)]
				}
				if len(zero) > 0 {
					z = float64(zero[(s+i)%len(zero)])
				}
			}
			d[i] = D(quantize(v/sc, z, low, high))
		}
	})
}

// quantize returns v, rounded, plus zero, saturated to low and high. NaN gives zero, as conversions of NaN
// depend on the machine.
func quantize(v float32, zero, low, high float64) int {
	q := math.RoundToEven(float64(v)) + zero
	if q != q {
		q = zero
	}
	return int(min(max(q, low), high))
}

// quantRange returns the smallest and the largest value of D.
func quantRange[D uint8 | int8 | uint16 | int16 | tensor.I4 | tensor.U4 | tensor.I2 | tensor.U2]() (low, high float64) {
	var d D
	switch any(d).(type) {
	case uint8:
		return 0, math.MaxUint8
	case int8:
		return math.MinInt8, math.MaxInt8
	case uint16:
		return 0, math.MaxUint16
	case int16:
		return math.MinInt16, math.MaxInt16
	case tensor.I4:
		return -8, 7
	case tensor.U4:
		return 0, 15
	case tensor.I2:
		return -2, 1
	}
	return 0, 3
}

// DivScale is dst[i] = x[i]/scale + zero, for [QuantizeLinear] to a small float. Without a zero point it is
// 0.
func DivScale(dst, x, scale, zero []float32, b Blocks) {
	b.rows(max(len(scale), len(zero)), func(at, n, s, m int) {
		d := dst[at : at+n]
		Div(d, x[at:at+n], share(scale, s, m))
		if len(zero) > 0 {
			Add(d, d, share(zero, s, m))
		}
	})
}

// share returns m scales from s on, or the one that applies to all.
func share(scale []float32, s, m int) []float32 {
	if len(scale) == 1 {
		return scale
	}
	return scale[s : s+m]
}

// DequantizeLinear is dst[i] = (x[i]-zero)·scale. Without a zero point it is 0.
func DequantizeLinear[S uint8 | int8 | uint16 | int16 | int32 | tensor.I4 | tensor.U4 | tensor.I2 | tensor.U2](dst []float32, x []S, scale []float32, zero []S, b Blocks) {
	raw, signed := dequantBytes(x)
	b.rows(max(len(scale), len(zero)), func(at, n, s, m int) {
		d, sc, z := dst[at:at+n], float32(1), int32(0)
		if raw != nil && m == 1 {
			if len(zero) > 0 {
				z = int32(zero[s%len(zero)])
			}
			dequantizeBytes(d, raw[at:at+n], signed, scale[s%len(scale)], z)
			return
		}
		for i, v := range x[at : at+n] {
			if i < m { // the others share the last one
				sc = scale[(s+i)%len(scale)]
				if len(zero) > 0 {
					z = int32(zero[(s+i)%len(zero)])
				}
			}
			d[i] = float32(int32(v)-z) * sc
		}
	})
}

// MulScale is dst[i] = (x[i]-zero)·scale, for [DequantizeLinear] from a small float. Without a zero point it
// is 0.
func MulScale(dst, x, scale, zero []float32, b Blocks) {
	b.rows(max(len(scale), len(zero)), func(at, n, s, m int) {
		d := dst[at : at+n]
		copy(d, x[at:at+n])
		if len(zero) > 0 {
			Sub(d, d, share(zero, s, m))
		}
		Mul(d, d, share(scale, s, m))
	})
}

// DynamicQuantizeLinear quantizes x to uint8, with the scale and the zero point for the range of its elements
// and 0. A scale of 0 becomes 1:
//
//	scale = (max(x, 0) - min(x, 0)) / 255
//	zero = saturate(round(-min(x, 0)/scale))
//	dst[i] = saturate(round(x[i]/scale) + zero)
func DynamicQuantizeLinear(dst []uint8, scale []float32, zero []uint8, x []float32) {
	low, high := min(VecReduceMin32(x), 0), max(VecReduceMax32(x), 0)
	scale[0] = (high - low) / 255
	if scale[0] == 0 {
		scale[0] = 1
	}
	zero[0] = uint8(quantize(-low/scale[0], 0, 0, 255))
	QuantizeLinear(dst, x, scale, zero, Blocks{Outer: 1, N: len(x), Inner: 1, Size: 1})
}
