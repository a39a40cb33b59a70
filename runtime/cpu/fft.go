package cpu

import "math"

// fft is a Fourier transform of length n, by Stockham's method with a step for each prime factor. A factor p
// takes n·p operations.
type fft struct {
	n    int
	sign float64 // of the exponent; positive for the inverse, which divides by n

	re, im   []float64 // the signal, then its transform
	re2, im2 []float64
	cos, sin []float64 // of sign·2πi/n
}

// init uses 6n elements of work.
func (f *fft) init(work []float64) {
	n := f.n
	f.re, f.im = work[:n], work[n:2*n]
	f.re2, f.im2 = work[2*n:3*n], work[3*n:4*n]
	f.cos, f.sin = work[4*n:5*n], work[5*n:6*n]
	for i := range n {
		s, c := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		f.cos[i], f.sin[i] = c, f.sign*s
	}
}

// load clears the elements lo ≤ i < hi.
func (f *fft) load(lo, hi int) {
	clear(f.re[lo:hi])
	clear(f.im[lo:hi])
}

// mirror fills in the upper half of the spectrum of a real signal.
func (f *fft) mirror() {
	f.im[0] = 0
	if f.n%2 == 0 {
		f.im[f.n/2] = 0
	}
	for k := f.n/2 + 1; k < f.n; k++ {
		f.re[k], f.im[k] = f.re[f.n-k], -f.im[f.n-k]
	}
}

// run transforms re and im. After the factors whose product is l, they hold the
// transforms of length l of the signals x[r], x[r+n/l], …: element s of each at
// s·n/l + r.
func (f *fft) run() {
	l := 1
	for rest := f.n; rest > 1; {
		p := radix(rest)
		rest /= p
		if p == 2 {
			f.step2(l)
		} else {
			f.step(l, p)
		}
		f.re, f.re2 = f.re2, f.re
		f.im, f.im2 = f.im2, f.im
		l *= p
	}
	if f.sign > 0 {
		scale := 1 / float64(f.n)
		for i := range f.re {
			f.re[i] *= scale
			f.im[i] *= scale
		}
	}
}

// radix returns the smallest prime that divides n.
func radix(n int) int {
	for p := 2; p*p <= n; p++ {
		if n%p == 0 {
			return p
		}
	}
	return n
}

// step2 is step for the factor 2.
func (f *fft) step2(l int) {
	m := f.n / l / 2
	for s := range l {
		c, d := f.cos[s*m], f.sin[s*m]
		a, b := 2*s*m, (2*s+1)*m
		lo, hi := s*m, (s+l)*m
		for r := range m {
			x, y := f.re[b+r], f.im[b+r]
			u, v := float64(c*x)-float64(d*y), float64(c*y)+float64(d*x)
			f.re2[lo+r], f.im2[lo+r] = f.re[a+r]+u, f.im[a+r]+v
			f.re2[hi+r], f.im2[hi+r] = f.re[a+r]-u, f.im[a+r]-v
		}
	}
}

// step combines p transforms of length l to one of length l·p.
func (f *fft) step(l, p int) {
	m := f.n / l / p
	for s := range l * p {
		re, im := f.re2[s*m:][:m], f.im2[s*m:][:m]
		clear(re)
		clear(im)
		from := s % l * m * p
		turn := 0 // s·q·m mod n
		for range p {
			c, d := f.cos[turn], f.sin[turn]
			xs, ys := f.re[from:][:m], f.im[from:][:m]
			for r, x := range xs {
				y := ys[r]
				re[r] += float64(c*x) - float64(d*y)
				im[r] += float64(c*y) + float64(d*x)
			}
			from += m
			turn = (turn + s*m) % f.n
		}
	}
}
