package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The bits of rows do not depend on the number of threads.
func TestRowsOnThreads(t *testing.T) {
	const rows, n = 300, 97
	r := rand.New(rand.NewPCG(1, 2))
	x, scale, bias := uniform[float32](r, rows*n), uniform[float32](r, n), uniform[float32](r, n)
	eachLevel(t, func(t *testing.T) {
		for name, kernel := range map[string]func(dst []float32){
			"Softmax":   func(dst []float32) { Softmax(dst, x, rows, n, 1) },
			"LayerNorm": func(dst []float32) { LayerNorm(dst, nil, nil, x, scale, bias, n, 1e-5) },
			"RMSNorm":   func(dst []float32) { RMSNorm(dst, x, scale, n, 1e-5) },
		} {
			defer SetThreads(0)
			one, many := make([]float32, rows*n), make([]float32, rows*n)
			SetThreads(1)
			kernel(one)
			SetThreads(4)
			for range 3 {
				if kernel(many); !slices.Equal(one, many) {
					t.Errorf("%s differs between one thread and four", name)
				}
			}
		}
	})
}

// Rows that are normalized in place have the same results as in other memory.
func TestLayerNormInPlace(t *testing.T) {
	const rows, n = 3, 700
	x, y := uniform[float32](rand.New(rand.NewPCG(5, 6)), rows*n), make([]float32, rows*n)
	LayerNorm(y, nil, nil, x, nil, nil, n, 1e-5)
	LayerNorm(x, nil, nil, x, nil, nil, n, 1e-5)
	if !slices.Equal(x, y) {
		t.Error("in place it is something else")
	}
}
