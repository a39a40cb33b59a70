package cpu

// ConvGradWeight is the gradient of [Conv] by its filters:
//
//	for n, m, o := range dy { // image, filter, place
//		for c, k := range dst[m] { // channel, tap
//			dst[m, c, k] += dy[n, m, o] * x[n, c, o·stride + k·dilation - pad]
//		}
//	}
//
// cols needs an element for each channel of a group, tap and place.
func ConvGradWeight[T Float](dst, dy, x, cols []T, s ConvShape) {
	clear(dst)
	if len(dst) == 0 || len(dy) == 0 {
		return
	}
	if dst, ok := any(dst).([]float32); ok {
		convGradWeight32(dst, any(dy).([]float32), any(x).([]float32), s)
		return
	}
	var win slide
	win.init(s.Window)
	places := win.rows * win.outRow
	depth, rows := s.Channels/s.Groups, s.Filters/s.Groups
	taps := depth * win.kernelSize
	for i := range s.Images * s.Groups {
		gather(cols, x[i*depth*win.inSize:][:depth*win.inSize], depth, &win)
		d := dst[i%s.Groups*rows*taps:][:rows*taps]
		addProductT(d, dy[i*rows*places:][:rows*places], cols, rows, places, taps)
	}
}

// gather writes, for each channel and tap, the inputs of all places of the output. It is the inverse of
// [spread].
func gather[T Float](cols, x []T, depth int, s *slide) {
	places := s.rows * s.outRow
	clear(cols[:depth*s.kernelSize*places])
	s.seek(0)
	for r := range s.rows {
		for s.nextTap() {
			for k := range s.taps {
				lo, hi, at := s.span(k)
				if lo >= hi {
					continue
				}
				for c := range depth {
					row := x[c*s.inSize+s.src:][:s.inRow]
					d := cols[(c*s.kernelSize+s.tap+k)*places+r*s.outRow:][lo:hi]
					if s.rowStride == 1 {
						copy(d, row[at:])
						continue
					}
					for j := range d {
						d[j] = row[at+j*s.rowStride]
					}
				}
			}
		}
		s.nextRow()
	}
}

// addProductT is dst += a·bᵀ for a of m×k and b of n×k.
func addProductT[T Float](dst, a, b []T, m, k, n int) {
	for i := range m {
		for j := range n {
			var sum T
			w := b[j*k:][:k]
			for l, v := range a[i*k:][:k] {
				sum += T(v * w[l])
			}
			dst[i*n+j] += sum
		}
	}
}
