package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// randomWindow returns a window over one to three axes: with steps above the kernel, dilation, padding that differs on both sides
// and may be wider than the kernel, and with windows that begin inside and end behind the padding, as with ceil_mode.
func randomWindow(rng *rand.Rand) Window {
	var w Window
	for range 1 + rng.IntN(3) {
		in, kernel, stride, dilation := rng.IntN(8), 1+rng.IntN(4), 1+rng.IntN(4), 1+rng.IntN(3)
		before, after := rng.IntN(4), rng.IntN(4)
		room := in + before + after - (kernel-1)*dilation - 1
		if room < 0 {
			after -= room
			room = 0
		}
		out := room/stride + 1
		if rng.IntN(2) == 0 && out*stride < in+before { // ceil_mode
			out = (room+stride-1)/stride + 1
			for (out-1)*stride >= in+before {
				out--
			}
		}
		w.In, w.Out, w.Kernel = append(w.In, in), append(w.Out, out), append(w.Kernel, kernel)
		w.Stride, w.Dilation = append(w.Stride, stride), append(w.Dilation, dilation)
		w.Pad, w.PadEnd = append(w.Pad, before), append(w.PadEnd, after)
	}
	return w
}

// eachTap calls f for each tap of the window of an output: with its place in the input, or -1, and whether it is in the padding.
func (w Window) eachTap(out []int, f func(at int, padding bool)) {
	eachIndex(w.Kernel, func(_ int, k []int) {
		at, inside, padded := 0, true, true
		for a, n := range w.In {
			i := out[a]*w.Stride[a] + k[a]*w.Dilation[a] - w.Pad[a]
			inside = inside && i >= 0 && i < n
			padded = padded && i < n+w.PadEnd[a]
			at = at*n + i
		}
		if !inside {
			at = -1
		}
		f(at, !inside && padded)
	})
}

// TestPoolsRandom compares pools with their definition for random windows, with NaNs and infinities, in both precisions.
func TestPoolsRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 600 {
		w := randomWindow(rng)
		const planes = 2
		x := uniform[float64](rng, planes*sizeOf(w.In))
		if len(x) > 0 && rng.IntN(3) == 0 {
			x[rng.IntN(len(x))] = []float64{nan, inf, -inf}[rng.IntN(3)]
		}
		testPools(t, w, planes, x, x, 1e-12)
		testPools(t, w, planes, x, narrow32(x), 1e-6)
	}
}

func testPools[T Float](t *testing.T, w Window, planes int, wide []float64, x []T, tol float64) {
	in, out := sizeOf(w.In), sizeOf(w.Out)
	n := planes * out
	top, mean, padded, norm, places := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]int64, n)
	for p := range planes {
		eachIndex(w.Out, func(o int, index []int) {
			best, first, sum, taps, beside, powers := -inf, -1, 0.0, 0, 0, 0.0
			w.eachTap(index, func(at int, padding bool) {
				if padding {
					beside++
				}
				if at < 0 {
					return
				}
				v := float64(x[p*in+at])
				if first < 0 || v > best || v != v && best == best {
					best, first = v, p*in+at
				}
				sum, taps, powers = sum+v, taps+1, powers+math.Pow(math.Abs(v), 3)
			})
			o += p * out
			top[o], mean[o], padded[o], norm[o] = best, sum/float64(max(taps, 1)), sum/float64(max(taps+beside, 1)), math.Cbrt(powers)
			if places[o] = int64(first); first < 0 {
				places[o] = int64(p * in)
			}
		})
	}
	what := fmt.Sprintf("%+v", w)
	got := make([]T, n)
	check := func(name string, want []float64) { t.Helper(); agree(t, name+" "+what, float64s(got), want, tol) }
	MaxPool(got, x, planes, w)
	check("MaxPool", top)
	index := make([]int64, n)
	MaxPoolIndices(got, index, x, planes, false, w)
	check("MaxPoolIndices", top)
	equal(t, "MaxPoolIndices "+what, index, places...)
	AveragePool(got, x, planes, false, w)
	check("AveragePool", mean)
	AveragePool(got, x, planes, true, w)
	check("AveragePool with padding", padded)
	LpPool(got, x, planes, 3, w)
	check("LpPool", norm)
}

// TestColumnsRandom: Col2Im adds what Col2ImGrad takes, so that the inner products of both are the same, and a column holds the
// elements of its windows.
func TestColumnsRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		w := randomWindow(rng)
		const images = 2
		in, out, taps := sizeOf(w.In), sizeOf(w.Out), sizeOf(w.Kernel)
		img, cols := uniform[float64](rng, images*in), uniform[float64](rng, images*taps*out)
		taken, added, want := make([]float64, len(cols)), make([]float64, len(img)), make([]float64, len(cols))
		Col2ImGrad(taken, img, images, w)
		Col2Im(added, cols, images, w)
		for n := range images {
			eachIndex(w.Out, func(o int, index []int) {
				k := 0
				w.eachTap(index, func(at int, _ bool) {
					if at >= 0 {
						want[(n*taps+k)*out+o] = img[n*in+at]
					}
					k++
				})
			})
		}
		equal(t, fmt.Sprintf("%+v", w), taken, want...)
		if a, b := inner(taken, cols), inner(img, added); !(math.Abs(a-b) <= 1e-12*(1+math.Abs(a))) {
			t.Fatalf("%+v: products %v and %v", w, a, b)
		}
	}
}

// TestAveragePoolGradRandom: the gradient is the adjoint of the pool, so that the inner products of both are the same, also where
// a tap is in the padding of all outputs.
func TestAveragePoolGradRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 400 {
		w := randomWindow(rng)
		const planes = 2
		x, dy := uniform[float64](rng, planes*sizeOf(w.In)), uniform[float64](rng, planes*sizeOf(w.Out))
		y, dx := make([]float64, len(dy)), make([]float64, len(x))
		row := make([]float64, w.Out[len(w.Out)-1])
		for _, padded := range []bool{false, true} {
			AveragePool(y, x, planes, padded, w)
			AveragePoolGrad(dx, dy, row, planes, padded, false, w)
			if a, b := inner(y, dy), inner(x, dx); !(math.Abs(a-b) <= 1e-12*(1+math.Abs(a))) {
				t.Fatalf("%+v, padded %v: products %v and %v", w, padded, a, b)
			}
		}
	}
}

// TestConvRandom compares convolutions of both precisions with their definition for random windows and groups, among them one
// channel and one filter of each, and checks that a convolution of a sum is the sum of the convolutions.
func TestConvRandom(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 6))
		for range 150 {
			s := ConvShape{Images: 1 + rng.IntN(2), Groups: 1 + rng.IntN(3), Window: randomWindow(rng)}
			s.Channels, s.Filters = s.Groups*(1+rng.IntN(3)), s.Groups*(1+rng.IntN(3))
			testConvRandom(t, rng, s)
		}
	})
}

func testConvRandom(t *testing.T, rng *rand.Rand, s ConvShape) {
	w := s.Window
	depth, rows := s.Channels/s.Groups, s.Filters/s.Groups
	in, out, taps := sizeOf(w.In), sizeOf(w.Out), sizeOf(w.Kernel)
	x, y := uniform[float64](rng, s.Images*s.Channels*in), uniform[float64](rng, s.Images*s.Channels*in)
	filters, bias := uniform[float64](rng, s.Filters*depth*taps), uniform[float64](rng, s.Filters)
	want := make([]float64, s.Images*s.Filters*out)
	for i := range s.Images * s.Filters {
		n, m := i/s.Filters, i%s.Filters
		eachIndex(w.Out, func(o int, index []int) {
			sum := bias[m]
			for c := range depth {
				k := 0
				plane := x[(n*s.Channels+m/rows*depth+c)*in:][:in]
				w.eachTap(index, func(at int, _ bool) {
					if at >= 0 {
						sum += filters[(m*depth+c)*taps+k] * plane[at]
					}
					k++
				})
			}
			want[i*out+o] = sum
		})
	}
	what := fmt.Sprintf("%+v", s)
	got := make([]float64, len(want))
	Conv(got, x, filters, bias, s)
	agree(t, what, got, want, 1e-12)
	single := make([]float32, len(want))
	Conv32(single, narrow32(x), narrow32(filters), narrow32(bias), s, ActNone)
	agree(t, what+" in float32", widen64(single), want, 1e-5)

	sum, other, both := make([]float64, len(x)), make([]float64, len(want)), make([]float64, len(want))
	Add(sum, x, y)
	Conv(got, x, filters, nil, s)
	Conv(other, y, filters, nil, s)
	Conv(both, sum, filters, nil, s)
	Add(got, got, other)
	agree(t, what+": the sum", both, got, 1e-12)
}
