package cpu

// DFTShape is the parameters of [DFT].
type DFTShape struct {
	X, Y     []int // the shapes of x and dst
	Axis     int
	Length   int  // of a signal; 0 is the size of x
	Onesided bool // only the elements up to Length/2 of a spectrum are stored, as the others mirror them
	Inverse  bool
}

// DFT transforms the signals along an axis of x, or with Inverse transforms them back:
//
//	y[k] = Σ exp(-2πi·k·j/n) x[j]
//	x[j] = Σ exp(+2πi·k·j/n) y[k] / n
//
// The last axis holds the real and, if its size is 2, the imaginary part. Signals are truncated, or filled
// with zeros, to n, the given length. work needs 6n elements.
func DFT[T Float](dst, x []T, work []float64, s DFTShape) {
	at := dftAxis(s.Axis, len(s.X))
	n := dftLength(s.Length, s.X[at], s.Onesided && s.Inverse)
	if len(dst) == 0 {
		return
	}
	f := fft{n: n, sign: -1}
	if s.Inverse {
		f.sign = 1
	}
	f.init(work)
	last := len(s.X) - 1
	in, out := s.X[last], s.Y[last]
	inner := 1
	for _, d := range s.X[at+1 : last] {
		inner *= d
	}
	for o := 0; o*inner*s.Y[at]*out < len(dst); o++ {
		for i := range inner {
			f.load(0, n)
			for j := range min(n, s.X[at]) {
				p := ((o*s.X[at]+j)*inner + i) * in
				f.re[j] = float64(x[p])
				if in == 2 {
					f.im[j] = float64(x[p+1])
				}
			}
			if s.Onesided && s.Inverse {
				f.mirror()
			}
			f.run()
			for j := range s.Y[at] {
				p := ((o*s.Y[at]+j)*inner + i) * out
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
