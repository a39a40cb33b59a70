package cpu

// AveragePool is the mean of each window of each plane:
//
//	for p, o := range dst { // plane, place
//		dst[p, o] = mean over k of x[p, o·stride + k·dilation - pad]
//	}
//
// over the taps that meet an input; with padded, also those that meet the padding, which is zero. A window
// without such taps gives zero.
func AveragePool[T Float](dst, x []T, planes int, padded bool, win Window) {
	if d, ok := any(dst).([]float32); ok && len(d) > 0 {
		poolPlanes(poolTask{dst: d, x: any(x).([]float32), planes: planes, fold: addStride[float32], divides: true, padded: padded}, win)
		return
	}
	slideOver(dst, x, planes, 0, win, addStride, func(d []T, row [maxRank]int) { averageRow(d, row, win, padded) })
}

// averageRow divides the sums of a row by the numbers of their terms.
func averageRow[T Float](d []T, row [maxRank]int, win Window, padded bool) {
	outer, last := 1, len(win.In)-1
	for i := range last {
		outer *= countTaps(win, i, row[i], padded)
	}
	from, to := wholeWindows(win, last, padded)
	from, to = min(from, len(d)), min(max(from, to), len(d))
	for o := range from {
		divide(d[o:o+1], outer*countTaps(win, last, o, padded))
	}
	divide(d[from:to], outer*win.Kernel[last])
	for o := to; o < len(d); o++ {
		divide(d[o:o+1], outer*countTaps(win, last, o, padded))
	}
}

// divide divides the elements by n, if that is above 1.
func divide[T Float](d []T, n int) {
	if n <= 1 {
		return
	}
	for i := range d {
		d[i] /= T(n)
	}
}

// wholeWindows returns the first window of an axis that counts all of its taps, and the one behind the last. Most do, so
// that they need no [countTaps], whose divisions would take most of the time.
func wholeWindows(w Window, axis int, padded bool) (from, to int) {
	lo, hi := 0, w.In[axis]
	if padded {
		lo, hi = -w.Pad[axis], hi+w.PadEnd[axis]
	}
	reach := (w.Kernel[axis]-1)*w.Dilation[axis] + 1
	s := w.Stride[axis]
	from = (max(lo+w.Pad[axis], 0) + s - 1) / s
	to = max(hi+w.Pad[axis]-reach+s, 0) / s
	return from, max(from, to)
}

// countTaps returns the number of taps of an axis that meet the input, or with padded also the padding.
func countTaps(w Window, axis, o int, padded bool) int {
	begin := o*w.Stride[axis] - w.Pad[axis]
	lo, hi := 0, w.In[axis]
	if padded {
		lo, hi = -w.Pad[axis], hi+w.PadEnd[axis]
	}
	d := w.Dilation[axis]
	first := (max(lo-begin, 0) + d - 1) / d
	end := min((max(hi-begin, 0)+d-1)/d, w.Kernel[axis])
	return max(end-first, 0)
}

// addStride is
//
//	for i := range dst {
//		dst[i] += x[i*stride]
//	}
func addStride[T Float](dst, x []T, stride int) {
	if stride == 1 {
		if d, ok := any(dst).([]float32); ok {
			VecAdd32(d, d, any(x).([]float32))
			return
		}
	}
	for i := range dst {
		dst[i] += x[i*stride]
	}
}
