package cpu

// DFT transforms the signals along an axis of x, or with inverse transforms them back:
//
//	y[k] = Σ exp(-2πi·k·j/n) x[j]
//	x[j] = Σ exp(+2πi·k·j/n) y[k] / n
//
// The last axis holds the real and, if its size is 2, the imaginary part. Signals are truncated, or filled
// with zeros, to the given length; 0 is the length of x. With onesided, only the elements up to n/2 of a
// spectrum are stored, as the others mirror them. work needs 6n elements.
func DFT[T Float](dst, x []T, work []float64, xs, ys []int, axis, length int, onesided, inverse bool) {
	at := dftAxis(axis, len(xs))
	n := dftLength(length, xs[at], onesided && inverse)
	if len(dst) == 0 {
		return
	}
	f := fft{n: n, sign: -1}
	if inverse {
		f.sign = 1
	}
	f.init(work)
	last := len(xs) - 1
	in, out := xs[last], ys[last]
	inner := 1
	for _, d := range xs[at+1 : last] {
		inner *= d
	}
	for o := 0; o*inner*ys[at]*out < len(dst); o++ {
		for i := range inner {
			f.load(0, n)
			for j := range min(n, xs[at]) {
				p := ((o*xs[at]+j)*inner + i) * in
				f.re[j] = float64(x[p])
				if in == 2 {
					f.im[j] = float64(x[p+1])
				}
			}
			if onesided && inverse {
				f.mirror()
			}
			f.run()
			for j := range ys[at] {
				p := ((o*ys[at]+j)*inner + i) * out
				dst[p] = T(f.re[j])
				if out == 2 {
					dst[p+1] = T(f.im[j])
				}
			}
		}
	}
}

// DFTDim returns the size of axis k of the result of [DFT] for a tensor of shape xs.
func DFTDim(xs []int, axis, length, k int, onesided, inverse bool) int {
	at := dftAxis(axis, len(xs))
	if k != at {
		return xs[k]
	}
	n := dftLength(length, xs[at], onesided && inverse)
	if onesided && !inverse {
		return n/2 + 1
	}
	return n
}

func dftAxis(axis, rank int) int {
	at := axis
	if at < 0 {
		at += rank
	}
	if at < 0 || at > rank-2 {
		fail("DFT", "axis is %d, want one of %d but not the last", axis, rank)
	}
	return at
}

func dftLength(length, size int, half bool) int {
	switch {
	case length != 0:
		size = length
	case half:
		size = 2 * (size - 1)
	}
	if size < 1 {
		fail("DFT", "signal has %d elements, want at least 1", size)
	}
	return size
}
