package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRotateLevels: rotations of any length have the bits of the portable form at every level, in place as well.
func TestRotateLevels(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for n := range 70 {
			var in [4][]float32
			for i := range in {
				in[i] = make([]float32, n)
				for k := range in[i] {
					in[i][k] = float32(r.NormFloat64())
				}
			}
			da, checkA := guarded(n)
			db, checkB := guarded(n)
			wantA, wantB := make([]float32, n), make([]float32, n)
			vecRotateGo(wantA, wantB, in[0], in[1], in[2], in[3])
			vecRotate(da, db, in[0], in[1], in[2], in[3])
			checkA(t)
			checkB(t)
			vecRotate(in[0], in[1], in[0], in[1], in[2], in[3])
			if !slices.Equal(da, wantA) || !slices.Equal(db, wantB) || !slices.Equal(in[0], wantA) || !slices.Equal(in[1], wantB) {
				t.Fatalf("%d pairs are rotated to %v and %v, in place to %v and %v, want %v and %v", n, da, db, in[0], in[1], wantA, wantB)
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
