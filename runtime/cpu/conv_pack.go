package cpu

// packColumns packs panels of a k×n matrix from column j on, as [PackB32].
func packColumns(dst, b []float32, k, n, j int) {
	for ; len(dst) > 0; dst, j = dst[panel*k:], j+panel {
		cols := min(panel, n-j)
		for l := range k {
			d := dst[l*panel:][:panel]
			clear(d[copy(d[:cols], b[l*n+j:]):])
		}
	}
}

// packPatches is packColumns for the matrix whose columns are patches of depth channels: its rows are
// channels and taps, its columns the places of the output.
func packPatches(dst, x []float32, depth int, s *slide, j int) {
	k := depth * s.kernelSize
	if k == 0 {
		return
	}
	clear(dst)
	s.seek(j / s.outRow)
	for row := j / s.outRow; row < s.rows && row*s.outRow < j+len(dst)/k; row++ {
		// The row's outputs from o0 on are the columns from col on.
		o0 := max(j-row*s.outRow, 0)
		col := row*s.outRow + o0 - j
		o1 := min(s.outRow, o0+len(dst)/k-col)
		for s.nextTap() {
			for t := range s.taps {
				lo, hi, at := s.span(t)
				if lo < o0 {
					lo, at = o0, at+(o0-lo)*s.rowStride
				}
				hi = min(hi, o1)
				for c := range depth {
					if lo < hi {
						packRun(dst, x[c*s.inSize+s.src+at:], col+lo-o0, hi-lo, s.rowStride, k, c*s.kernelSize+s.tap+t)
					}
				}
			}
		}
		s.nextRow()
	}
}

// packRun writes n elements of x, a stride apart, into row l of packed panels
// of k rows, from column col on.
func packRun(dst, x []float32, col, n, stride, k, l int) {
	for n > 0 {
		in := col % panel
		d := dst[col/panel*panel*k+l*panel+in:][:min(n, panel-in)]
		if stride == 1 {
			copy(d, x)
		} else {
			for i := range d {
				d[i] = x[i*stride]
			}
		}
		n -= len(d)
		col += len(d)
		if n > 0 {
			x = x[len(d)*stride:]
		}
	}
}
