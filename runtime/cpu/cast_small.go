package cpu

import "github.com/bbgen/bbgen/runtime/tensor"

// CastFromSmall is dst[i] = x[i], exactly.
func CastFromSmall[S tensor.F16 | tensor.BF16 | tensor.F8E4M3FN | tensor.F8E4M3FNUZ | tensor.F8E5M2 | tensor.F8E5M2FNUZ | tensor.F8E8M0 | tensor.F4E2M1](dst []float32, x []S) {
	switch x := any(x).(type) {
	case []tensor.F16:
		halves(dst, x, nil, true)
	case []tensor.BF16:
		halves(dst, nil, x, true)
	case []tensor.F8E4M3FN:
		for i, v := range x[:len(dst)] {
			dst[i] = v.Float32()
		}
	case []tensor.F8E4M3FNUZ:
		for i, v := range x[:len(dst)] {
			dst[i] = v.Float32()
		}
	case []tensor.F8E5M2:
		for i, v := range x[:len(dst)] {
			dst[i] = v.Float32()
		}
	case []tensor.F8E5M2FNUZ:
		for i, v := range x[:len(dst)] {
			dst[i] = v.Float32()
		}
	case []tensor.F8E8M0:
		for i, v := range x[:len(dst)] {
			dst[i] = v.Float32()
		}
	case []tensor.F4E2M1:
		for i, v := range x[:len(dst)] {
			dst[i] = v.Float32()
		}
	}
}

// CastToSmall is dst[i] = x[i] rounded once, to nearest even. Saturate and mode apply to float8 types, as in
// package tensor.
func CastToSmall[D tensor.F16 | tensor.BF16 | tensor.F8E4M3FN | tensor.F8E4M3FNUZ | tensor.F8E5M2 | tensor.F8E5M2FNUZ | tensor.F8E8M0 | tensor.F4E2M1, S Float](dst []D, x []S, saturate bool, mode int) {
	x = x[:len(dst)]
	if x, ok := any(x).([]float32); ok {
		switch d := any(dst).(type) {
		case []tensor.F16:
			halves(x, d, nil, false)
			return
		case []tensor.BF16:
			halves(x, nil, d, false)
			return
		}
	}
	switch d := any(dst).(type) {
	case []tensor.F16:
		for i, v := range x {
			d[i] = tensor.ToFloat16(tensor.RoundOdd(float64(v)))
		}
	case []tensor.BF16:
		for i, v := range x {
			d[i] = tensor.ToBFloat16(tensor.RoundOdd(float64(v)))
		}
	case []tensor.F8E4M3FN:
		for i, v := range x {
			d[i] = tensor.ToFloat8E4M3FN(tensor.RoundOdd(float64(v)), saturate)
		}
	case []tensor.F8E4M3FNUZ:
		for i, v := range x {
			d[i] = tensor.ToFloat8E4M3FNUZ(tensor.RoundOdd(float64(v)), saturate)
		}
	case []tensor.F8E5M2:
		for i, v := range x {
			d[i] = tensor.ToFloat8E5M2(tensor.RoundOdd(float64(v)), saturate)
		}
	case []tensor.F8E5M2FNUZ:
		for i, v := range x {
			d[i] = tensor.ToFloat8E5M2FNUZ(tensor.RoundOdd(float64(v)), saturate)
		}
	case []tensor.F8E8M0:
		for i, v := range x {
			d[i] = tensor.ToFloat8E8M0(tensor.RoundOdd(float64(v)), saturate, tensor.RoundMode(mode))
		}
	case []tensor.F4E2M1:
		for i, v := range x {
			d[i] = tensor.ToFloat4E2M1(tensor.RoundOdd(float64(v)))
		}
	}
}
