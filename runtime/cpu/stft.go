package cpu

// STFT transforms frames of n elements of each signal, step elements apart:
//
//	for b, t := range dst { // signal, frame
//		dst[b, t] = dft(window * x[b, t*step : t*step+n])
//	}
//
// A nil window is ones. The last axes of xs and ys are the real and imaginary part. ys[2] elements of a
// transform are stored. work needs 6n elements.
func STFT[T Float](dst, x, window []T, work []float64, xs, ys []int, step, n int) {
	if len(dst) == 0 {
		return
	}
	if n < 1 {
		fail("STFT", "frame has %d elements, want at least 1", n)
	}
	if window != nil && len(window) != n {
		fail("STFT", "window has %d elements, the frame %d", len(window), n)
	}
	f := fft{n: n, sign: -1}
	f.init(work)
	frames, bins, parts := ys[1], ys[2], xs[2]
	for i := range ys[0] * frames {
		src := x[(i/frames*xs[1]+i%frames*step)*parts:][:n*parts]
		f.load(0, n)
		for j := range n {
			w := T(1)
			if window != nil {
				w = window[j]
			}
			f.re[j] = float64(src[j*parts] * w)
			if parts == 2 {
				f.im[j] = float64(src[j*parts+1] * w)
			}
		}
		f.run()
		d := dst[i*bins*2:][:bins*2]
		for j := range bins {
			d[2*j], d[2*j+1] = T(f.re[j]), T(f.im[j])
		}
	}
}

// STFTFrames returns the number of frames of n elements, step elements apart, in signals of shape xs.
func STFTFrames(xs []int, step, n int) int {
	if step < 1 {
		fail("STFT", "step is %d, want at least 1", step)
	}
	if n < 1 || n > xs[1] {
		fail("STFT", "frame has %d elements, the signal %d", n, xs[1])
	}
	return (xs[1]-n)/step + 1
}
