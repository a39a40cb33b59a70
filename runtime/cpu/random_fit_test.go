package cpu

import (
	"math"
	"testing"
)

// chiSquare returns how many standard deviations the χ² of counts is above its mean, by the approximation of Wilson and Hilferty.
// The seeds of these tests are fixed: a result above 5 means that numbers do not follow the distribution.
func chiSquare(counts []int, probabilities []float64) float64 {
	total, chi, classes := 0, 0.0, 0
	for _, c := range counts {
		total += c
	}
	for i, p := range probabilities {
		if p == 0 {
			if counts[i] > 0 {
				return math.Inf(1)
			}
			continue
		}
		d := float64(counts[i]) - p*float64(total)
		chi += d * d / (p * float64(total))
		classes++
	}
	k := float64(classes - 1)
	return (math.Cbrt(chi/k) - (1 - 2/(9*k))) / math.Sqrt(2/(9*k))
}

// fits checks that counts are neither too far from their probabilities nor, on average over the seeds, too close.
func fits(t *testing.T, what string, count func(seed int) (counts []int, probabilities []float64)) {
	t.Helper()
	sum := 0.0
	const seeds = 16
	for seed := range seeds {
		z := chiSquare(count(seed*seed*seed - 5))
		if sum += z; !(math.Abs(z) < 5) {
			t.Errorf("%s: seed %d is %v standard deviations off", what, seed, z)
		}
	}
	if sum /= math.Sqrt(seeds); !(math.Abs(sum) < 5) {
		t.Errorf("%s: all seeds are %v standard deviations off", what, sum)
	}
}

// equally is n equal probabilities.
func equally(n int) []float64 { return slicesOf(n, 1/float64(n)) }

// TestUniformFits counts numbers by their range, pairs of neighbors, which come from one block, and pairs of blocks and of seeds.
func TestUniformFits(t *testing.T) {
	testUniformFits[float32](t)
	testUniformFits[float64](t)
}

func testUniformFits[T Float](t *testing.T) {
	const n, side = 20000, 12
	x, y := make([]T, n), make([]T, n)
	class := func(v T, from, size float64, classes int) int {
		return int((float64(v) - from) / size * float64(classes))
	}
	fits(t, "ranges", func(seed int) ([]int, []float64) {
		counts := make([]int, 101)
		RandomUniform(x, -3, 5, seed)
		for _, v := range x {
			counts[min(class(v, -3, 8, 100), 100)]++
		}
		counts[99] += counts[100] // a sum may be rounded up to high
		return counts[:100], equally(100)
	})
	for _, far := range []int{1, 2, 3, 64, 4096} {
		fits(t, "pairs", func(seed int) ([]int, []float64) {
			counts := make([]int, side*side)
			RandomUniform(x, 0, 1, seed)
			for i := far; i < n; i++ {
				counts[class(x[i], 0, 1, side)*side+class(x[i-far], 0, 1, side)]++
			}
			return counts, equally(side * side)
		})
	}
	for _, other := range []int{1, -1, 1 << 20, math.MaxInt32} {
		fits(t, "pairs of seeds", func(seed int) ([]int, []float64) {
			counts := make([]int, side*side)
			RandomUniform(x, 0, 1, seed)
			RandomUniform(y, 0, 1, seed^other)
			for i, v := range x {
				counts[class(v, 0, 1, side)*side+class(y[i], 0, 1, side)]++
			}
			return counts, equally(side * side)
		})
	}
}

// TestNormalFits counts numbers by ranges of equal probability, and pairs of neighbors, which share an angle and a distance.
func TestNormalFits(t *testing.T) {
	const n, side = 20000, 10
	x := make([]float64, n)
	class := func(v float64) int { // of the distribution's quantiles
		return min(int(side*(1+math.Erf((v-2)/3/math.Sqrt2))/2), side-1)
	}
	for far := range 4 {
		fits(t, "normal", func(seed int) ([]int, []float64) {
			RandomNormal(x, 2, 3, seed)
			counts := make([]int, side*side)
			for i := far; i < n; i++ {
				counts[class(x[i])*side+class(x[i-far])]++
			}
			if far > 0 {
				return counts, equally(side * side)
			}
			diagonal := make([]int, side)
			for k := range diagonal {
				diagonal[k] = counts[k*side+k]
			}
			return diagonal, equally(side)
		})
	}
	// The tails, which few bits would cut off: 3σ is left and right of 0.27 % of the numbers.
	fits(t, "tails", func(seed int) ([]int, []float64) {
		counts := make([]int, 3)
		for part := range 10 {
			RandomNormal(x, 0, 1, seed*1000+part)
			for _, v := range x {
				switch {
				case v < -3:
					counts[0]++
				case v > 3:
					counts[2]++
				default:
					counts[1]++
				}
			}
		}
		tail := math.Erfc(3/math.Sqrt2) / 2
		return counts, []float64{tail, 1 - 2*tail, tail}
	})
}

// TestDrawsFit counts what Bernoulli, Multinomial and Dropout draw.
func TestDrawsFit(t *testing.T) {
	const n = 20000
	for _, p := range []float64{0.001, 0.25, 0.5, 0.9} {
		fits(t, "Bernoulli", func(seed int) ([]int, []float64) {
			got, counts := make([]int32, n), make([]int, 2)
			Bernoulli(got, slicesOf(n, p), seed)
			for _, v := range got {
				counts[v]++
			}
			return counts, []float64{1 - p, p}
		})
		fits(t, "Dropout", func(seed int) ([]int, []float64) {
			x, mask, counts := slicesOf(n, float32(1)), make([]bool, n), make([]int, 4)
			Dropout(x, mask, x, []float32{float32(p)}, []bool{true}, seed)
			for i, kept := range mask[1:] { // pairs of neighbors
				at := 0
				if kept {
					at = 1
				}
				if mask[i] {
					at += 2
				}
				counts[at]++
			}
			return counts, []float64{p * p, p * (1 - p), (1 - p) * p, (1 - p) * (1 - p)}
		})
	}
	weights := []float64{0, 1, 2, 0, 3, 4, 0}
	fits(t, "Multinomial", func(seed int) ([]int, []float64) {
		x, sums, got, counts := make([]float32, len(weights)), make([]float64, len(weights)), make([]int64, n), make([]int, len(weights))
		for i, w := range weights {
			x[i] = float32(math.Log(w)) + 500 // only differences matter
		}
		Multinomial(got, x, sums, 1, len(weights), seed)
		for _, v := range got {
			counts[v]++
		}
		p := make([]float64, len(weights))
		Div(p, weights, []float64{10})
		return counts, p
	})
}
