package cpu

// GroupNorm normalizes groups of channels of x, which is [batch, channels, inner], and then scales and shifts
// each channel:
//
//	for each group of each sample {
//		for each channel c of the group {
//			dst = (x-mean)/√(variance+eps)*scale[c] + bias[c]
//		}
//	}
//
// scale and bias have an element for each channel, or for each group. x is multiplied by a =
// scale[c]/√(variance+eps), and bias[c]-mean*a is added. So the error of dst is a few bits of x*a, which is
// much larger than dst if x is far from zero and its variance is small.
func GroupNorm[T Float](dst, x, scale, bias []T, groups, channels, inner int, eps float64) {
	if len(dst) == 0 {
		return
	}
	per := channels / groups
	size := per * inner
	for i := range len(dst) / size {
		m := sumRow(row(x, i, size)) / T(size)
		f := invSqrt(squares(row(x, i, size), m)/T(size) + T(eps))
		for c := range per {
			at := i*per + c
			k := at % channels * len(scale) / channels
			a := T(f * scale[k])
			scaleShift(row(dst, at, inner), row(x, at, inner), a, bias[k]-T(m*a))
		}
	}
}
