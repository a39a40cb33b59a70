package nn

import (
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime/cpu"
)

// Orthogonal returns an initializer that makes the rows of a weight, or its columns if there are fewer of
// these, orthogonal to each other with norm gain.
//
// Saxe et al., Exact solutions to the nonlinear dynamics of learning in deep linear
// neural networks, 2013, https://arxiv.org/abs/1312.6120
func Orthogonal(gain float64) Initializer {
	return func(dst []float32, shape []int, seed int) error {
		if len(shape) < 2 {
			return fmt.Errorf("the shape is %v, want 2 axes or more", shape)
		}
		rows := shape[0]
		cols := len(dst) / rows
		n, width := min(rows, cols), max(rows, cols)
		x := make([]float64, len(dst))
		cpu.RandomNormal(x, 0, 1, seed)
		q := slices.Collect(slices.Chunk(x, width))
		for i := range n {
			if !orthonormalize(q, i) {
				return fmt.Errorf("what seed %d draws is not independent: take another seed", seed)
			}
		}
		for i := range dst {
			r, c := i/cols, i%cols
			if rows > cols {
				r, c = c, r
			}
			dst[i] = float32(gain * q[r][c])
		}
		return nil
	}
}

// orthonormalize makes row i orthogonal to the preceding ones with the Gram–Schmidt process, and normalizes
// it. It runs twice, to remove rounding errors. It returns false if the remainder is zero.
func orthonormalize(q [][]float64, i int) bool {
	for range 2 {
		for _, e := range q[:i] {
			along := dot(e, q[i])
			for k := range e {
				q[i][k] -= float64(along * e[k])
			}
		}
		length := math.Sqrt(dot(q[i], q[i]))
		if length < 1e-12 {
			return false
		}
		for k := range q[i] {
			q[i][k] /= length
		}
	}
	return true
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i] * b[i])
	}
	return sum
}
