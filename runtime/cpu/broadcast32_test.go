package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Long broadcasts are divided into turns, and short rows are computed together; the result of every element
// remains the same.
func TestBroadcastLong(t *testing.T) {
	defer SetThreads(0)
	rng := rand.New(rand.NewPCG(9, 1))
	for _, c := range []struct{ shape, as, bs []int }{
		{[]int{2, 700, 8}, []int{2, 1, 8}, []int{2, 700, 8}},
		{[]int{2, 700, 8}, []int{2, 700, 8}, []int{8}},
		{[]int{3, 501, 7}, []int{3, 501, 7}, []int{3, 1, 7}},
		{[]int{1200, 9}, []int{1200, 9}, []int{1200, 1}},
		{[]int{2, 3, 2000}, []int{2, 1, 2000}, []int{3, 1}},
		{[]int{20, 30, 40}, []int{1, 30, 1}, []int{20, 1, 40}},
	} {
		a, b := randoms(rng, volume(c.as)), randoms(rng, volume(c.bs))
		want := make([]float64, volume(c.shape))
		Broadcast(want, widen64(a), widen64(b), Sub, c.shape, c.as, c.bs)
		for threads := 1; threads <= 3; threads++ {
			SetThreads(threads)
			got, check := guarded(len(want))
			Broadcast(got, a, b, Sub, c.shape, c.as, c.bs)
			check(t)
			if !slices.Equal(got, narrow32(want)) {
				t.Errorf("%s: not what float64 gives, with %d threads", fmt.Sprint(c), threads)
			}
		}
	}
}
