package cpu

import "math"

// CausalShape is the sizes of [CausalConv]: Rows of N elements, and filters of K taps. The rows of a sample have
// one of its Channels each.
type CausalShape struct{ Rows, Channels, N, K int }

// CausalConv convolves each of several rows with the filter of its channel, over the past
// elements and the row itself:
//
//	for r := range Rows {
//		seen := past[r] ++ x[r]
//		for i := range N {
//			dst[r, i] = bias[r%Channels] + sum of w[r%Channels, j] * seen[i+j] for j < K
//		}
//		present[r] = the last K-1 elements of seen
//	}
//
// With silu, y·sigmoid(y) follows. If past or bias is nil, it is zero; if dst or present is nil, it is not
// computed.
func CausalConv[T Float](dst, present, x, w, bias, past []T, s CausalShape, silu bool) {
	for r := range s.Rows {
		c := r % s.Channels
		var before []T
		if past != nil {
			before = past[r*(s.K-1):][:s.K-1]
		}
		src := x[r*s.N:][:s.N]
		if present != nil {
			carry(present[r*(s.K-1):][:s.K-1], before, src)
		}
		if dst == nil {
			continue
		}
		d := dst[r*s.N:][:s.N]
		var b T
		if bias != nil {
			b = bias[c]
		}
		fill(d, b)
		for j, f := range w[c*s.K:][:s.K] {
			skip := min(s.K-1-j, s.N) // outputs for which this tap reads past elements
			if before != nil {
				axpyStride(d[:skip], before[j:], 1, f)
			}
			axpyStride(d[skip:], src, 1, f)
		}
		if silu {
			siluOf(d)
		}
	}
}

// carry writes the last elements of before ++ x to dst; a nil before is zero.
func carry[T any](dst, before, x []T) {
	if n := len(dst) - len(x); n > 0 {
		clear(dst[:n])
		if before != nil {
			copy(dst[:n], before[len(x):])
		}
		copy(dst[n:], x)
		return
	}
	copy(dst, x[len(x)-len(dst):])
}

// siluOf replaces x by x·sigmoid(x).
func siluOf[T Float](x []T) {
	if x, ok := any(x).([]float32); ok {
		VecSilu32(x, x)
		return
	}
	for i, v := range x {
		x[i] = v / T(1+math.Exp(-float64(v)))
	}
}
