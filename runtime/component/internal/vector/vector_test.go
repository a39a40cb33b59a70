package vector

import (
	"fmt"
	"github.com/bbgen/bbgen/runtime/tensor"
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
		if got := Square(a, b); !(math.Abs(got-want) <= 1e-12*float64(n)) {
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

// A vector with an element that is no number would have no distance to any other, and break the order of hits.
func TestCheck(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		v    tensor.Dense[float32]
		dim  int
		want string
	}{
		{tensor.DenseOf([]float32{1, 2}, 2), 2, "<nil>"},
		{tensor.DenseOf([]float32{1, 2}, 2), 0, "<nil>"},
		{tensor.DenseOf([]float32{1, 2}, 2), 3, "a vector of shape [2], want 3 elements in one axis"},
		{tensor.DenseOf([]float32{1, 2}, 1, 2), 2, "a vector of shape [1 2], want 2 elements in one axis"},
		{tensor.DenseOf([]float32{}, 0), 0, "a vector of shape [0], want 1 elements in one axis"},
		{tensor.DenseOf([]float32{1, inf}, 2), 2, "element 1 of the vector is +Inf"},
		{tensor.DenseOf([]float32{inf - inf, 1}, 2), 2, "element 0 of the vector is NaN"},
	} {
		if got := fmt.Sprint(Check(c.v, c.dim)); got != c.want {
			t.Errorf("%v: got %s, want %s", c.v, got, c.want)
		}
	}
}
