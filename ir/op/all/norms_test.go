package all_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// normalized subtracts the mean of a group of elements and divides by the root of their variance plus epsilon.
func normalized(x []float64, group func(i int) int, epsilon float64, centered bool) []float64 {
	sum, count := map[int]float64{}, map[int]float64{}
	for i, v := range x {
		sum[group(i)] += v
		count[group(i)]++
	}
	square := map[int]float64{}
	mean := func(i int) float64 {
		if !centered {
			return 0
		}
		return sum[group(i)] / count[group(i)]
	}
	for i, v := range x {
		square[group(i)] += (v - mean(i)) * (v - mean(i))
	}
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = (v - mean(i)) / math.Sqrt(square[group(i)]/count[group(i)]+epsilon)
	}
	return y
}

// TestNormModel compares normalizations with the mean and the variance of their groups: of any shape, of one element, and of
// none.
func TestNormModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	const epsilon = 0.125
	for range 300 {
		shape := []int{rng.IntN(3), 2 * (1 + rng.IntN(3)), 1 + rng.IntN(4), 1 + rng.IntN(3)}[:3+rng.IntN(2)]
		x := drawn(rng, shape...)
		inner := 1
		for _, n := range shape[2:] {
			inner *= n
		}
		data, channels := x.Data.([]float64), shape[1]
		channel := func(i int) int { return i / inner % channels }
		per := func(n int) (*tensor.Tensor, []float64) {
			v := drawn(rng, n)
			return v, v.Data.([]float64)
		}
		scale, s := per(channels)
		bias, b := per(channels)
		check := func(node string, in []*tensor.Tensor, want []float64) {
			t.Helper()
			out := computed(t, 1, node, in...)
			closeTo(t, fmt.Sprint(node, " of ", shape), out[0].Data.([]float64), want, 1e-6)
		}

		want := normalized(data, func(i int) int { return i / inner }, epsilon, true)
		for i := range want {
			want[i] = want[i]*s[channel(i)] + b[channel(i)]
		}
		check(fmt.Sprintf("InstanceNormalization {epsilon = %v}", epsilon), []*tensor.Tensor{x, scale, bias}, want)

		groups := []int{1, 2, channels}[rng.IntN(3)]
		want = normalized(data, func(i int) int { return i / (inner * channels / groups) }, epsilon, true)
		for i := range want {
			want[i] = want[i]*s[channel(i)] + b[channel(i)]
		}
		check(fmt.Sprintf("GroupNormalization {epsilon = %v, num_groups = %d}", epsilon, groups), []*tensor.Tensor{x, scale, bias}, want)

		axis := 1 + rng.IntN(len(shape)-1)
		rest := 1
		for _, n := range shape[axis:] {
			rest *= n
		}
		full := drawn(rng, shape[axis:]...)
		offset := drawn(rng, shape[axis:]...)
		f, o := full.Data.([]float64), offset.Data.([]float64)
		want = normalized(data, func(i int) int { return i / rest }, epsilon, true)
		for i := range want {
			want[i] = want[i]*f[i%rest] + o[i%rest]
		}
		check(fmt.Sprintf("LayerNormalization {epsilon = %v, axis = %d}", epsilon, axis-len(shape)*rng.IntN(2)), []*tensor.Tensor{x, full, offset}, want)

		want = normalized(data, func(i int) int { return i / rest }, epsilon, false)
		for i := range want {
			want[i] *= f[i%rest]
		}
		check(fmt.Sprintf("RMSNormalization {epsilon = %v, axis = %d}", epsilon, axis), []*tensor.Tensor{x, full}, want)
	}
}

// TestCumulativeModel compares CumSum and CumProd with sums and products of all earlier, or later, elements of a line.
func TestCumulativeModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	for range 200 {
		shape := []int{rng.IntN(4), 1 + rng.IntN(5), 1 + rng.IntN(3)}
		x := drawn(rng, shape...)
		data := x.Data.([]float64)
		axis, exclusive, reverse := rng.IntN(3), rng.IntN(2), rng.IntN(2)
		inner := 1
		for _, n := range shape[axis+1:] {
			inner *= n
		}
		at := func(i int) int { return i / inner % shape[axis] }
		for _, name := range []string{"CumSum", "CumProd"} {
			want := make([]float64, len(data))
			for i := range want {
				v := 0.0
				if name == "CumProd" {
					v = 1
				}
				for k := range shape[axis] {
					before := k < at(i) || k == at(i) && exclusive == 0
					if reverse == 1 {
						before = k > at(i) || k == at(i) && exclusive == 0
					}
					if w := data[i+(k-at(i))*inner]; before && name == "CumSum" {
						v += w
					} else if before {
						v *= w
					}
				}
				want[i] = v
			}
			node := fmt.Sprintf("%s {exclusive = %d, reverse = %d}", name, exclusive, reverse)
			out, err := compute(1, node, x, tensor.Of([]int64{int64(axis - 3*rng.IntN(2))}))
			if err != nil {
				t.Fatalf("%s: %v", node, err)
			}
			closeTo(t, fmt.Sprint(node, " of ", shape, " along ", axis), out[0].Data.([]float64), want, 1e-12)
		}
	}
}
