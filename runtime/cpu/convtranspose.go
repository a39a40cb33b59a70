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
func ConvTranspose[T Float](dst, x, w, bias, cols []T, images, channels, filters, groups int, win Window) {
	if len(dst) == 0 {
		return
	}
	if dst, ok := any(dst).([]float32); ok {
		convTranspose32(dst, any(x).([]float32), any(w).([]float32), any(bias).([]float32), images, channels, filters, groups, win)
		return
	}
	var s slide
	s.init(win)
	places := s.rows * s.outRow
	depth, rows := channels/groups, filters/groups
	for i := range images * groups {
		g := i % groups
		wg := w[g*depth*rows*s.kernelSize:][:depth*rows*s.kernelSize]
		Gemm(cols, wg, x[i*depth*places:][:depth*places], nil, rows*s.kernelSize, depth, places, true, false, 1, 0, nil)
		for m := range rows {
			d := dst[(i*rows+m)*s.inSize:][:s.inSize]
			var b T
			if bias != nil {
				b = bias[g*rows+m]
			}
			fill(d, b)
			spread(d, cols[m*s.kernelSize*places:], &s)
		}
	}
}

// spread adds the products of each tap and place to their elements of dst.
func spread[T Float](dst, cols []T, s *slide) {
	places := s.rows * s.outRow
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
