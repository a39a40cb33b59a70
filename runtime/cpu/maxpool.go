package cpu

// MaxPool is the largest element of each window of each plane:
//
//	for p, o := range dst { // plane, place
//		dst[p, o] = max over k of x[p, o·stride + k·dilation - pad]
//	}
//
// A NaN in a window gives NaN. A window without inputs gives the smallest value of the type.
func MaxPool[T Number](dst, x []T, planes int, win Window) {
	if len(dst) == 0 {
		return
	}
	if d, ok := any(dst).([]float32); ok && isQuarterPool(win) {
		quarterPool((*quarterTask).maxPlane, d, any(x).([]float32), nil, planes, win)
		return
	}
	if d, ok := any(dst).([]float32); ok {
		poolPlanes(poolTask{dst: d, x: any(x).([]float32), planes: planes, start: lowest[float32](), fold: maxStride[float32]}, win)
		return
	}
	slideOver(dst, x, planes, lowest[T](), win, maxStride, func([]T, [maxRank]int) {})
}

// maxStride is
//
//	for i := range dst {
//		dst[i] = max(dst[i], x[i*stride])
//	}
func maxStride[T Number](dst, x []T, stride int) {
	if stride == 1 {
		if d, ok := any(dst).([]float32); ok {
			VecMax32(d, d, any(x).([]float32))
			return
		}
	}
	for i := range dst {
		dst[i] = max(dst[i], x[i*stride])
	}
}

// MaxPoolIndices is [MaxPool] that also writes the place in x of each largest element, the first of equal
// ones. With columns, places are counted along the first spatial axis first.
func MaxPoolIndices[T Number](dst []T, index []int64, x []T, planes int, columns bool, win Window) {
	if len(dst) == 0 {
		return
	}
	var s slide
	s.init(win)
	least := lowest[T]()
	for p := range planes {
		src := x[p*s.inSize:][:s.inSize]
		s.seek(0)
		for r := range s.rows {
			o := (p*s.rows + r) * s.outRow
			d, at := dst[o:][:s.outRow], index[o:][:s.outRow]
			fill(d, least)
			fill(at, -1)
			for s.nextTap() {
				for k := range s.taps {
					lo, hi, from := s.span(k)
					maxIndex(d[lo:hi], at[lo:hi], src, s.src+from, s.rowStride)
				}
			}
			for i, v := range at {
				at[i] = int64(p*s.inSize) + s.place(max(v, 0), columns)
			}
			s.nextRow()
		}
	}
}

// maxIndex is maxStride for x[from:], and records the places of the elements.
func maxIndex[T Number](dst []T, index []int64, x []T, from, stride int) {
	for i, v := range dst {
		if w := x[from+i*stride]; w > v || index[i] < 0 || w != w && v == v {
			dst[i], index[i] = w, int64(from+i*stride)
		}
	}
}

// place returns the place of an element of a plane, counted by rows or by columns.
func (s *slide) place(i int64, columns bool) int64 {
	if !columns {
		return i
	}
	out, rest := int64(0), i/int64(s.inRow)
	size := int64(s.inSize / s.inRow)
	out = i % int64(s.inRow) * size
	for k := s.rank - 1; k >= 0; k-- {
		n := int64(s.in[k])
		size /= n
		out += rest % n * size
		rest /= n
	}
	return out
}
