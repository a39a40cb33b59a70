package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// exactDFT is y[k] = Σ exp(±2πi·k·j/n) x[j] of pairs of real and imaginary parts; the inverse, with +, is divided by n.
func exactDFT(x []float64, inverse bool) []float64 {
	n := len(x) / 2
	y := make([]float64, len(x))
	sign, scale := -1.0, 1.0
	if inverse {
		sign, scale = 1, 1/float64(n)
	}
	for k := range n {
		for j := range n {
			s, c := math.Sincos(sign * 2 * math.Pi * float64(k*j%n) / float64(n))
			y[2*k] += scale * (x[2*j]*c - x[2*j+1]*s)
			y[2*k+1] += scale * (x[2*j]*s + x[2*j+1]*c)
		}
	}
	return y
}

// dftSignal returns the signal of a line of x: n pairs, truncated or filled with zeros. Complex tells whether x has pairs.
func dftSignal(x []float64, outer, in, inner, o, i, n int, complex bool) []float64 {
	line := make([]float64, 2*n)
	for j := range min(n, in) {
		at := (o*in+j)*inner + i
		if complex {
			line[2*j], line[2*j+1] = x[2*at], x[2*at+1]
		} else {
			line[2*j] = x[at]
		}
	}
	return line
}

// TestDFT compares transforms along each axis with their definition: of real and complex signals that are truncated, whole, or
// filled with zeros, forward and back, whole spectra and one side of them.
func TestDFT(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	shape := []int{2, 6, 3}
	for axis := range shape {
		in := shape[axis]
		outer, inner := sizeOf(shape[:axis]), sizeOf(shape[axis+1:])
		for _, length := range []int{0, 1, in - 1, in, 2*in + 1} {
			for mask := range 8 {
				complex, inverse, oneSided := mask&1 != 0, mask&2 != 0, mask&4 != 0
				if oneSided && (inverse || complex) {
					continue // TestDFTBack has the inverse of one side
				}
				parts := 1 + mask&1
				s := DFTShape{X: append(shape[:3:3], parts), Y: append(shape[:3:3], 2), Axis: axis - 4, Length: length, Onesided: oneSided, Inverse: inverse}
				s.Y[axis] = DFTDim(s.X, s.Axis, length, axis, oneSided, inverse)
				n := in
				if length > 0 {
					n = length
				}
				x := uniform[float64](rng, sizeOf(s.X))
				got, want := make([]float64, sizeOf(s.Y)), make([]float64, sizeOf(s.Y))
				for line := range outer * inner {
					y := exactDFT(dftSignal(x, outer, in, inner, line/inner, line%inner, n, complex), inverse)
					for k := range s.Y[axis] {
						copy(want[2*((line/inner*s.Y[axis]+k)*inner+line%inner):], y[2*k:2*k+2])
					}
				}
				DFT(got, x, make([]float64, 6*n), s)
				nearly(t, fmt.Sprint(s), got, want, 1e-13)
				single := make([]float32, len(got))
				DFT(single, narrow32(x), make([]float64, 6*n), s)
				nearly(t, fmt.Sprint("float32 ", s), widen64(single), want, 1e-5)
			}
		}
	}
	DFT([]float64{}, []float64{}, nil, DFTShape{X: []int{0, 4, 1}, Y: []int{0, 4, 2}, Axis: 1})
}

// TestDFTBack transforms signals of even and odd lengths and back again, by whole spectra and by one side of them.
func TestDFTBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 7, 8, 9, 15, 16, 17, 31, 33} {
		for _, oneSided := range []bool{false, true} {
			x := uniform[float64](rng, 3*n)
			bins := DFTDim([]int{3, n, 1}, 1, 0, 1, oneSided, false)
			spectrum, back := make([]float64, 3*bins*2), make([]float64, 3*n)
			work := make([]float64, 6*n)
			DFT(spectrum, x, work, DFTShape{X: []int{3, n, 1}, Y: []int{3, bins, 2}, Axis: 1, Onesided: oneSided})
			if oneSided {
				spectrum[1] = 5 // the imaginary part of a real signal's sum is 0: it is not read
			}
			DFT(back, spectrum, work, DFTShape{X: []int{3, bins, 2}, Y: []int{3, n, 1}, Axis: 1, Length: n, Onesided: oneSided, Inverse: true})
			nearly(t, fmt.Sprint(n, oneSided), back, x, 1e-13)
			energy := 0.0
			for k := range bins * 2 { // Parseval: Σ|y|² = n·Σ|x|²
				weight := 1.0
				if oneSided && k > 1 && (k/2*2 != n) {
					weight = 2
				}
				energy += weight * spectrum[2*bins+k] * spectrum[2*bins+k]
			}
			nearly(t, "energy", []float64{energy}, []float64{float64(n) * inner(x[n:2*n], x[n:2*n])}, 1e-12)
		}
	}
}

// TestSTFT compares each frame with the transform of its windowed signal.
func TestSTFT(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const signals, size = 2, 13
	for _, parts := range []int{1, 2} {
		for _, n := range []int{1, 4, 5, 13} {
			for _, step := range []int{1, 3, 20} {
				for _, windowed := range []bool{false, true} {
					xs := []int{signals, size, parts}
					ys := []int{signals, STFTFrames(xs, step, n), n, 2}
					if parts == 1 {
						ys[2] = n/2 + 1
					}
					x := uniform[float64](rng, sizeOf(xs))
					win := slicesOf(n, 1.0)
					arg := []float64(nil)
					if windowed {
						win = uniform[float64](rng, n)
						arg = win
					}
					want := make([]float64, 0, sizeOf(ys))
					for f := range signals * ys[1] {
						frame := dftSignal(x[(f/ys[1]*size+f%ys[1]*step)*parts:], 1, n, 1, 0, 0, n, parts == 2)
						for j := range frame {
							frame[j] *= win[j/2]
						}
						want = append(want, exactDFT(frame, false)[:2*ys[2]]...)
					}
					got := make([]float64, len(want))
					STFT(got, x, arg, make([]float64, 6*n), xs, ys, step, n)
					nearly(t, fmt.Sprint(xs, ys, step, n, windowed), got, want, 1e-13)
				}
			}
		}
	}
	STFT([]float32{}, nil, nil, nil, nil, nil, 1, 0)
}

// TestCosineWindow compares Hann, Hamming and Blackman windows with their values.
func TestCosineWindow(t *testing.T) {
	s := math.Sqrt2 / 2
	for _, c := range []struct {
		name       string
		periodic   bool
		a0, a1, a2 float64
		want       []float64
	}{
		{"Hann", true, 0.5, 0.5, 0, []float64{0, 0.5, 1, 0.5}},
		{"symmetric Hann", false, 0.5, 0.5, 0, []float64{0, 0.5, 1, 0.5, 0}},
		{"Hamming", true, 25. / 46, 21. / 46, 0, []float64{4. / 46, 25. / 46, 1, 25. / 46}},
		{"Blackman", true, 0.42, 0.5, 0.08, []float64{0, 0.42 - 0.5*s, 0.34, 0.42 + 0.5*s, 1, 0.42 + 0.5*s, 0.34, 0.42 - 0.5*s}},
		{"symmetric Blackman", false, 0.42, 0.5, 0.08, []float64{0, 0.34, 1, 0.34, 0}},
		{"of one element", false, 0.42, 0.5, 0.08, []float64{1}},
		{"periodic of one element", true, 0.5, 0.5, 0, []float64{0}},
		{"of none", true, 0.5, 0.5, 0, nil},
	} {
		got := make([]float64, len(c.want))
		CosineWindow(got, c.periodic, c.a0, c.a1, c.a2)
		nearly(t, c.name, got, c.want, 1e-15)
		single := make([]float32, len(c.want))
		CosineWindow(single, c.periodic, c.a0, c.a1, c.a2)
		nearly(t, c.name+" in float32", widen64(single), c.want, 1e-7)
	}
	whole := make([]int32, 4)
	CosineWindow(whole, true, 5, 5, 0) // 5 - 5·cos(π·i/2)
	equal(t, "integers", whole, 0, 5, 10, 5)
}

// The matrices are those of ONNX's reference implementation: the first is that of the specification's test_melweightmatrix, the
// second has triangles over several bins.
func TestMelWeightMatrix(t *testing.T) {
	const third = 1. / 3
	for _, c := range []struct {
		bands, length, rate int64
		lower, upper        float64
		want                map[[2]int]float64 // by bin and band; all others are 0
	}{
		{8, 16, 8192, 0, 4096, map[[2]int]float64{{0, 0}: 1, {0, 1}: 1, {1, 2}: 1, {1, 3}: 1, {2, 4}: 1, {3, 5}: 1, {4, 6}: 1, {5, 7}: 1}},
		{3, 32, 1000, 20, 400, map[[2]int]float64{
			{1, 0}: 0.5, {2, 0}: 1, {3, 0}: 2 * third, {4, 0}: third, {3, 1}: third, {4, 1}: 2 * third, {5, 1}: 1,
			{6, 1}: 0.5, {6, 2}: 0.5, {7, 2}: 1, {8, 2}: 2 * third, {9, 2}: third}},
		{0, 4, 10, 0, 5, nil},
	} {
		rows, n := int(c.length)/2+1, int(c.bands)
		got, want := slicesOf(rows*n, 9.0), make([]float64, rows*n)
		for at, v := range c.want {
			want[at[0]*n+at[1]] = v
		}
		MelWeightMatrix(got, []int64{c.bands}, []int64{c.length}, []int64{c.rate}, []float64{c.lower}, []float64{c.upper})
		nearly(t, fmt.Sprint(c.bands, " bands"), got, want, 1e-15)
		single := make([]float32, len(got))
		MelWeightMatrix(single, []int32{int32(c.bands)}, []int32{int32(c.length)}, []int32{int32(c.rate)}, []float32{float32(c.lower)}, []float32{float32(c.upper)})
		nearly(t, fmt.Sprint(c.bands, " bands in float32"), widen64(single), want, 1e-7)
	}
	for want, bounds := range map[string][]float64{
		"MelWeightMatrix: sample rate is 0, want at least 1":                      {0, 0},
		"MelWeightMatrix: band 0 is at NaN Hz, beyond the 9 bins of the spectrum": {8192, nan},
	} {
		rate := []int64{int64(bounds[0])}
		if got := complaint(func() { MelWeightMatrix(make([]float64, 9), []int64{1}, []int64{16}, rate, bounds[1:], bounds[1:]) }); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
