package cpu

// MaxPoolGrad is the gradient of [MaxPool]: each element of dy is added to the first largest element of its
// window. top and index need a row of dy.
func MaxPoolGrad[T Float](dst, dy, x, top []T, index []int64, planes int, win Window) {
	clear(dst)
	if len(dy) == 0 {
		return
	}
	if dst, ok := any(dst).([]float32); ok && isQuarterPool(win) {
		quarterPool((*quarterTask).gradPlane, dst, any(x).([]float32), any(dy).([]float32), planes, win)
		return
	}
	var s slide
	s.init(win)
	least := lowest[T]()
	top, index = top[:s.outRow], index[:s.outRow]
	for p := range planes {
		src, d := x[p*s.inSize:][:s.inSize], dst[p*s.inSize:][:s.inSize]
		s.seek(0)
		for r := range s.rows {
			fill(top, least)
			fill(index, -1)
			for s.nextTap() {
				for k := range s.taps {
					if lo, hi, at := s.span(k); lo < hi {
						maxIndex(top[lo:hi], index[lo:hi], src, s.src+at, s.rowStride)
					}
				}
			}
			for i, g := range dy[(p*s.rows+r)*s.outRow:][:s.outRow] {
				if at := index[i]; at >= 0 {
					d[at] += g
				}
			}
			s.nextRow()
		}
	}
}

// AveragePoolGrad is the gradient of [AveragePool]: each element of dy, divided by the number of elements in
// its mean, is added to all of them. With sum, it is not divided. row needs a row of dy.
func AveragePoolGrad[T Float](dst, dy, row []T, planes int, padded, sum bool, win Window) {
	clear(dst)
	if len(dy) == 0 {
		return
	}
	var s slide
	s.init(win)
	row = row[:s.outRow]
	for p := range planes {
		d := dst[p*s.inSize:][:s.inSize]
		s.seek(0)
		for r := range s.rows {
			copy(row, dy[(p*s.rows+r)*s.outRow:])
			if !sum {
				averageRow(row, s.o, win, padded)
			}
			for s.nextTap() {
				in := d[s.src:][:s.inRow]
				for k := range s.taps {
					lo, hi, at := s.span(k)
					for i, v := range row[lo:hi] {
						in[at+i*s.rowStride] += v
					}
				}
			}
			s.nextRow()
		}
	}
}
