package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestStored compares kernels of a stored operand with those of the widened operand, for several pieces.
func TestStored(t *testing.T) {
	const planes, side, rows, cols = 70, 40, 1000, 100
	rng := rand.New(rand.NewPCG(1, 1))
	n := planes * side * side
	x, dy := make([]tensor.BF16, n), randoms(rng, n)
	CastToSmall(x, randoms(rng, n), true, 0)
	wide := make([]float32, n)
	CastFromSmall(wide, x)
	win := Window{In: []int{side, side}, Out: []int{side / 2, side / 2}, Kernel: []int{2, 2}, Stride: []int{2, 2}, Dilation: []int{1, 1}, Pad: []int{0, 0}, PadEnd: []int{0, 0}}
	top, index := make([]float32, side/2), make([]int64, side/2)
	for name, f := range map[string]func(got, want []float32){
		"ReluGrad":     func(got, want []float32) { ReluGradStored(got, dy, x); ReluGrad(want, dy, wide) },
		"GeluGrad":     func(got, want []float32) { GeluGradStored(got, dy, x); GeluGrad(want, dy, wide) },
		"GeluTanhGrad": func(got, want []float32) { GeluTanhGradStored(got, dy, x); GeluTanhGrad(want, dy, wide) },
		"SoftmaxGrad": func(got, want []float32) {
			SoftmaxGradStored(got, dy, x, rows, cols, 1)
			SoftmaxGrad(want, dy, wide, rows, cols, 1)
		},
		"MaxPoolGrad": func(got, want []float32) {
			MaxPoolGradStored(got, dy[:n/4], x, top, index, planes, win)
			MaxPoolGrad(want, dy[:n/4], wide, top, index, planes, win)
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachLevel(t, func(t *testing.T) {
				got, want := make([]float32, n), make([]float32, n)
				f(got, want)
				if !slices.Equal(got, want) {
					t.Error("the results are others")
				}
				if allocs := allocations(3, func() { f(got, want) }); allocs != 0 {
					t.Errorf("allocates %v times", allocs)
				}
			})
		})
	}
}
