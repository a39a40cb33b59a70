package cpu

// ConvTranspose adds each element of the images to all elements of its window, weighted by the filters:
//
//	for n, c, o := range x { // image, channel, place
//		for m, k := range w[c] { // filter, tap
//			dst[n, m, o·stride + k·dilation - pad] += w[c, m, k] * x[n, c, o]
//		}
//	}
//
// on top of bias, which may be nil. The window slides over dst. cols needs an element for each filter of a
// group, tap and place.
func ConvTranspose[T Float](dst, x, w, bias, cols []T, s ConvShape) {
	if len(dst) == 0 {
		return
	}
	if dst, ok := any(dst).([]float32); ok {
		convTranspose32(dst, any(x).([]float32), any(w).([]float32), any(bias).([]float32), s)
		return
	}
	var win slide
	win.init(s.Window)
	places := win.rows * win.outRow
	depth, rows := s.Channels/s.Groups, s.Filters/s.Groups
	for i := range s.Images * s.Groups {
		g := i % s.Groups
		wg := w[g*depth*rows*win.kernelSize:][:depth*rows*win.kernelSize]
		Gemm(cols, wg, x[i*depth*places:][:depth*places], nil, GemmShape{M: rows * win.kernelSize, K: depth, N: places, TransA: true, Alpha: 1}, nil)
		for m := range rows {
			d := dst[(i*rows+m)*win.inSize:][:win.inSize]
			var b T
			if bias != nil {
				b = bias[g*rows+m]
			}
			fill(d, b)
			spread(d, cols[m*win.kernelSize*places:], &win)
		}
	}
}

// spread adds the products of each tap and place to their elements of dst.
func spread[T Float](dst, cols []T, s *slide) {
	places := s.rows * s.outRow
	if places == 0 {
		return
	}
	s.seek(0)
	for r := range s.rows {
		for s.nextTap() {
			d := dst[s.src:][:s.inRow]
			for k := range s.taps {
				if lo, hi, at := s.span(k); lo < hi {
					src := cols[(s.tap+k)*places+r*s.outRow:][lo:hi]
					for i, v := range src {
						d[at+i*s.rowStride] += v
					}
				}
			}
		}
		s.nextRow()
	}
}
