package cpu

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The gradient of a linear kernel y = A·x is Aᵀ: for all x and dy, the products y·dy and x·(Aᵀ·dy) are equal.
func TestAdjoints(t *testing.T) {
	win := Window{In: []int{5, 7}, Kernel: []int{2, 3}, Out: []int{4, 3}, Stride: []int{1, 2}, Dilation: []int{1, 2}, Pad: []int{0, 2}}
	line := ResizeLine{In: 5, Out: 9, Filter: ResizeLinear}
	scale, first := []float64{9.0 / 5}, make([]int64, line.Out)
	weights := make([]float64, line.Out*line.taps(line.width(scale)))
	ResizeWeights(weights, first, scale, nil, line)
	for _, c := range []struct {
		name           string
		in, out        int
		apply, adjoint func(dst, x []float64)
	}{
		{"Col2Im", 2 * 6 * 12, 2 * 35,
			func(dst, x []float64) { Col2Im(dst, x, 2, win) },
			func(dst, x []float64) { Col2ImGrad(dst, x, 2, win) }},
		{"ResizeAxis", 2 * 5 * 3, 2 * 9 * 3,
			func(dst, x []float64) { ResizeAxis(dst, x, weights, first, scale, line, 2, 3) },
			func(dst, x []float64) { ResizeAxisGrad(dst, x, weights, first, scale, line, 2, 3) }},
		{"Slice", 4 * 7, 2 * 3,
			func(dst, x []float64) { Slice(dst, x, []int{4, 7}, []int{2, 3}, []int{3, 1}, []int{-2, 2}) },
			func(dst, x []float64) {
				SliceGrad(dst, x, []int{4, 7}, []int{2, 3}, []int{3, 1}, []int{0, 1}, []int{-2, 2})
			}},
		{"Pad", 2 * 3, 5 * 4,
			func(dst, x []float64) { Pad(dst, x, nil, []int{2, 3}, []int{5, 4}, []int{1, 0}, PadEdge) },
			func(dst, x []float64) {
				PadGrad(dst, x, []int{2, 3}, []int{5, 4}, []int{1, 0, 2, 1}, []int{0, 1}, PadEdge)
			}},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		x, dy := uniform[float64](rng, c.in), uniform[float64](rng, c.out)
		y, dx := uniform[float64](rng, c.out), uniform[float64](rng, c.in) // must not be read
		c.apply(y, x)
		c.adjoint(dx, dy)
		nearly(t, c.name, []float64{inner(x, dx)}, []float64{inner(y, dy)}, 1e-12)
		if inner(y, y) == 0 {
			t.Errorf("%s gave zeros", c.name)
		}
	}
}

func inner(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

func TestLRN(t *testing.T) {
	const images, channels, size = 2, 5, 3
	o := LRNParams{Size: 3, Alpha: 0.5, Beta: 0.75, Bias: 2}
	x := uniform[float64](rand.New(rand.NewPCG(3, 4)), images*channels*size)
	for _, o.Beta = range []float64{0.75, 0.6} {
		got, want := make([]float64, len(x)), make([]float64, len(x))
		for i := range x {
			n, c, k := i/(channels*size), i/size%channels, i%size
			sum := 0.0
			for d := max(c-1, 0); d <= min(c+1, channels-1); d++ {
				v := x[(n*channels+d)*size+k]
				sum += v * v
			}
			want[i] = x[i] / math.Pow(2+0.5/3*sum, o.Beta)
		}
		LRN(got, x, images, channels, size, o)
		nearly(t, "LRN", got, want, 1e-12)
	}
}

// Rows that are convolved in two parts, the second with the state that the first left, are those of one call.
func TestCausalConvInParts(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 6))
		const channels, k, n, cut = 3, 4, 17, 2
		s := CausalShape{Rows: 2 * channels, Channels: channels, N: n, K: k}
		x, w, bias, past := randoms(rng, s.Rows*n), randoms(rng, channels*k), randoms(rng, channels), randoms(rng, s.Rows*(k-1))
		want := make([]float64, len(x))
		for i := range want {
			r := i / n
			seen := append(slices.Clone(row(past, r, k-1)), row(x, r, n)...)
			want[i] = float64(bias[r%channels])
			for j, v := range row(w, r%channels, k) {
				want[i] += float64(v) * float64(seen[i%n+j])
			}
		}
		got, present := make([]float32, len(x)), make([]float32, len(past))
		CausalConv(got, present, x, w, bias, past, s, false)
		nearly(t, "one call", widen64(got), want, 1e-6)

		between := make([]float32, len(past))
		for at, state := 0, past; at < n; state, at = between, at+max(at, cut) {
			part := s
			part.N = min(max(at, cut), n-at)
			cols := make([]float32, s.Rows*part.N)
			for r := range s.Rows {
				copy(row(cols, r, part.N), row(x, r, n)[at:])
			}
			out, next := make([]float32, len(cols)), make([]float32, len(past))
			CausalConv(out, next, cols, w, bias, state, part, false)
			for r := range s.Rows {
				equal(t, "a part", row(out, r, part.N), row(got, r, n)[at:at+part.N]...)
			}
			copy(between, next)
		}
		equal(t, "the state at the end", between, present...)
	})
}
