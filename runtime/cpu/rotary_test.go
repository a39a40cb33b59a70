package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRotateLevels: rotations of any length have the bits of the portable form at every level, in place as well, and leave what is
// between vectors.
func TestRotateLevels(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		random := func(n int) []float32 {
			out := make([]float32, n)
			for i := range out {
				out[i] = float32(r.NormFloat64())
			}
			return out
		}
		for half := range 40 {
			for vectors := range 4 {
				step := 2*half + vectors
				n := max(vectors-1, 0)*step + 2*half
				if vectors == 0 {
					n = 0
				}
				x, cos, sin := random(n), random(half), random(half)
				got, check := guarded(n)
				want, same := slices.Clone(got), slices.Clone(x)
				vecRotateGo(want, x, cos, sin, vectors, step)
				vecRotate(got, x, cos, sin, vectors, step)
				check(t)
				vecRotate(same, same, cos, sin, vectors, step)
				if !slices.EqualFunc(got, want, sameValue) {
					t.Fatalf("%d vectors of %d pairs are rotated to %v, want %v", vectors, half, got, want)
				}
				for h := range vectors {
					if at := h * step; !slices.Equal(same[at:at+2*half], want[at:at+2*half]) {
						t.Fatalf("%d vectors of %d pairs are rotated in place to %v, want %v", vectors, half, same, want)
					}
				}
			}
		}
	})
}

// TestRotaryThreads: the bits do not depend on the number of threads, and a position without an angle is an error of any of them.
func TestRotaryThreads(t *testing.T) {
	defer SetThreads(0)
	o := Rotary{Batch: 3, Seq: 50, Heads: 4, Size: 34, Rotated: 32}
	r := rand.New(rand.NewPCG(3, 4))
	random := func(n int) []float32 {
		out := make([]float32, n)
		for i := range out {
			out[i] = float32(r.NormFloat64())
		}
		return out
	}
	x, cos, sin := random(3*50*4*34), random(60*16), random(60*16)
	pos := make([]int64, 3*50)
	for i := range pos {
		pos[i] = int64(r.IntN(60))
	}
	var want []float32
	for _, threads := range []int{1, 4} {
		SetThreads(threads)
		got := make([]float32, len(x))
		RotaryEmbedding(got, x, cos, sin, pos, o)
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%d threads rotate to other values", threads)
		}
		bad := slices.Clone(pos)
		bad[140] = 60
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%d threads: position 60 of 60 angles is no error", threads)
				}
			}()
			RotaryEmbedding(got, x, cos, sin, bad, o)
		}()
	}
}
