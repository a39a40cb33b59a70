package cpu

import "math"

// LRN computes, for images of channels of inner elements,
//
//	for n, c, i := range dst {
//		sum := sum of x[n, d, i]² for d from c-(size-1)/2 to c+size/2
//		dst[n, c, i] = x[n, c, i] / (bias + alpha/size*sum)^beta
//	}
//
// where d is limited to existing channels.
func LRN[T Float](dst, x []T, images, channels, inner, size int, alpha, beta, bias float64) {
	alpha /= float64(size)
	for p := range images * channels {
		c := p % channels
		d := dst[p*inner:][:inner]
		clear(d)
		for q := max(c-(size-1)/2, 0); q <= min(c+size/2, channels-1); q++ {
			for i, v := range x[(p-c+q)*inner:][:inner] {
				d[i] += T(v * v)
			}
		}
		for i, v := range x[p*inner:][:inner] {
			base := bias + float64(alpha*float64(d[i]))
			if beta == 0.75 {
				root := math.Sqrt(base)
				base = root * math.Sqrt(root)
			} else {
				base = math.Pow(base, beta)
			}
			d[i] = T(float64(v) / base)
		}
	}
}
