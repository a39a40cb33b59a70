package cpu

import "math"

// LRNParams is the parameters of [LRN].
type LRNParams struct {
	Size              int // channels of a sum
	Alpha, Beta, Bias float64
}

// LRN computes, for images of channels of inner elements,
//
//	for n, c, i := range dst {
//		sum := sum of x[n, d, i]² for d from c-(Size-1)/2 to c+Size/2
//		dst[n, c, i] = x[n, c, i] / (Bias + Alpha/Size*sum)^Beta
//	}
//
// where d is limited to existing channels.
func LRN[T Float](dst, x []T, images, channels, inner int, o LRNParams) {
	o.Alpha /= float64(o.Size)
	for p := range images * channels {
		c := p % channels
		d := dst[p*inner:][:inner]
		clear(d)
		for q := max(c-(o.Size-1)/2, 0); q <= min(c+o.Size/2, channels-1); q++ {
			for i, v := range x[(p-c+q)*inner:][:inner] {
				d[i] += T(v * v)
			}
		}
		for i, v := range x[p*inner:][:inner] {
			base := o.Bias + float64(o.Alpha*float64(d[i]))
			if o.Beta == 0.75 {
				root := math.Sqrt(base)
				base = root * math.Sqrt(root)
			} else {
				base = math.Pow(base, o.Beta)
			}
			d[i] = T(float64(v) / base)
		}
	}
}
