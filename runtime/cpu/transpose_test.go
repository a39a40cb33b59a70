package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// counted returns 0, 1, 2, …
func counted(n int) []int32 {
	x := make([]int32, n)
	for i := range x {
		x[i] = int32(i)
	}
	return x
}

// equal returns an error if got is not want.
func equal[T comparable](t *testing.T, what string, got []T, want ...T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// TestTranspose compares random permutations of axes with a plain implementation.
func TestTranspose(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		shape := make([]int, rng.IntN(5))
		for i := range shape {
			shape[i] = rng.IntN(1 + []int{3, 20}[rng.IntN(2)])
		}
		perm := rng.Perm(len(shape))
		x := counted(volume(shape))
		dst, want := make([]int32, len(x)), make([]int32, len(x))
		var step [maxRank]int
		strides(step[:], shape)
		size := make([]int, len(shape))
		for i, axis := range perm {
			size[i] = shape[axis]
		}
		index := make([]int, len(shape))
		for i := range want {
			for k, axis := range perm {
				want[i] += int32(index[k] * step[axis])
			}
			stepIndex(index, size)
		}
		Transpose(dst, x, shape, perm)
		if !slices.Equal(dst, want) {
			t.Errorf("shape %v, perm %v: got %v, want %v", shape, perm, dst, want)
		}
		floats, wanted := converted[float32](x), converted[float32](want)
		got := make([]float32, len(x))
		if Transpose(got, floats, shape, perm); !slices.Equal(got, wanted) {
			t.Errorf("shape %v, perm %v of floats: got %v, want %v", shape, perm, got, wanted)
		}
	}
}

// converted returns the elements of x as those of another type.
func converted[D, S Number](x []S) []D {
	list := make([]D, len(x))
	for i, v := range x {
		list[i] = D(v)
	}
	return list
}

// BenchmarkTranspose measures permutations of axes as they occur in models.
func BenchmarkTranspose(b *testing.B) {
	for _, c := range []struct{ shape, perm []int }{
		{[]int{512, 512}, []int{1, 0}},
		{[]int{1, 128, 12, 64}, []int{0, 2, 1, 3}},
		{[]int{1, 64, 56, 56}, []int{0, 2, 3, 1}},
	} {
		b.Run(fmt.Sprint(c.shape, c.perm), func(b *testing.B) {
			x := make([]float32, volume(c.shape))
			dst := make([]float32, len(x))
			b.SetBytes(int64(len(x)) * 4)
			for b.Loop() {
				Transpose(dst, x, c.shape, c.perm)
			}
		})
	}
}
