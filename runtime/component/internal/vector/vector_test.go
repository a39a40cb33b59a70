package vector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The square is that of the plain sum, for each length.
func TestSquare(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 131 {
		a, b := make([]float32, n), make([]float32, n)
		want := 0.0
		for i := range a {
			a[i], b[i] = r.Float32(), r.Float32()
			want += math.Pow(float64(a[i])-float64(b[i]), 2)
		}
		if got := Square(a, b); math.Abs(got-want) > 1e-12*float64(n) {
			t.Errorf("%d elements: %v, want %v", n, got, want)
		}
	}
}

func TestResult(t *testing.T) {
	hits := []Hit{{3, 1}, {2, 0}, {1, 1}}
	Sort(hits)
	for k, want := range map[int][]uint64{-1: {}, 2: {2, 1}, 9: {2, 1, 3}} {
		if ids, d := Result(hits, k); !slices.Equal(ids.Data, want) || len(d.Data) != len(want) {
			t.Errorf("%d hits are %v at %v, want %v", k, ids.Data, d.Data, want)
		}
	}
}
