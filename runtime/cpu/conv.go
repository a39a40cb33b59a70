package cpu

// Conv is a convolution of images with filters, each group of filters with its
// group of channels:
//
//	for n, m, o := range dst { // image, filter, place
//		sum := bias[m]
//		for c, k := range w[m] { // channel, tap
//			sum += w[m, c, k] * x[n, c, o·stride + k·dilation - pad]
//		}
//		dst[n, m, o] = sum
//	}
//
// where x is zero outside its bounds; bias may be nil.
func Conv[T Float](dst, x, w, bias []T, s ConvShape) {
	if len(dst) == 0 {
		return
	}
	var win slide
	win.init(s.Window)
	plane, depth := win.rows*win.outRow, s.Channels/s.Groups
	for p := range s.Images * s.Filters {
		m := p % s.Filters
		first := p/s.Filters*s.Channels + m/(s.Filters/s.Groups)*depth
		var b T
		if bias != nil {
			b = bias[m]
		}
		convPlane(dst[p*plane:(p+1)*plane], x[first*win.inSize:(first+depth)*win.inSize], w[m*depth*win.kernelSize:], b, depth, &win)
	}
}

// convPlane computes the plane of one filter.
func convPlane[T Float](dst, x, w []T, bias T, depth int, s *slide) {
	s.seek(0)
	for r := range s.rows {
		d := dst[r*s.outRow:][:s.outRow]
		for i := range d {
			d[i] = bias
		}
		for c := range depth {
			for s.rewind(); s.nextTap(); {
				src := x[c*s.inSize+s.src:][:s.inRow]
				for k, v := range w[c*s.kernelSize+s.tap:][:s.taps] {
					if lo, hi, at := s.span(k); lo < hi {
						axpyStride(d[lo:hi], src[at:], s.rowStride, v)
					}
				}
			}
		}
		s.nextRow()
	}
}

// axpyStride is
//
//	for i := range dst {
//		dst[i] += alpha * x[i*stride]
//	}
func axpyStride[T Float](dst, x []T, stride int, alpha T) {
	if stride == 1 {
		if d, ok := any(dst).([]float32); ok {
			VecAxpy32(d, any(x).([]float32), float32(alpha))
			return
		}
		for i, v := range x[:len(dst)] {
			dst[i] += T(alpha * v)
		}
		return
	}
	for i := range dst {
		dst[i] += T(alpha * x[i*stride])
	}
}
