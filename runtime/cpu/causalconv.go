package cpu

import "math"

// CausalConv convolves each of several rows of n elements with the filter of its channel, over the past
// elements and the row itself:
//
//	for r := range rows {
//		seen := past[r] ++ x[r]
//		for i := range n {
//			dst[r, i] = bias[r%channels] + sum of w[r%channels, j] * seen[i+j] for j < k
//		}
//		present[r] = the last k-1 elements of seen
//	}
//
// With silu, y·sigmoid(y) follows. If past or bias is nil, it is zero; if dst or present is nil, it is not
// computed.
func CausalConv[T Float](dst, present, x, w, bias, past []T, rows, channels, n, k int, silu bool) {
	for r := range rows {
		c := r % channels
		var before []T
		if past != nil {
			before = past[r*(k-1):][:k-1]
		}
		src := x[r*n:][:n]
		if present != nil {
			carry(present[r*(k-1):][:k-1], before, src)
		}
		if dst == nil {
			continue
		}
		d := dst[r*n:][:n]
		var b T
		if bias != nil {
			b = bias[c]
		}
		fill(d, b)
		for j, f := range w[c*k:][:k] {
			skip := min(k-1-j, n) // outputs for which this tap reads past elements
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
