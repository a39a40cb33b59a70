package train

import (
	"fmt"
	"slices"
	"testing"
)

// TestOwners divides weights: the loads differ by at most one weight, and replicas are on the members that follow.
func TestOwners(t *testing.T) {
	for _, c := range []struct {
		sizes, members []int
		replicas       int
		want           string
	}{
		{[]int{1, 8, 3, 4}, []int{0, 1}, 0, "[[1] [0] [1] [1]]"},
		{[]int{5, 5, 5}, []int{4, 2, 7}, 0, "[[4] [2] [7]]"},
		{[]int{5, 5, 5}, []int{4, 2, 7}, 1, "[[4 2] [2 7] [7 4]]"},
		{[]int{9, 1}, []int{3}, 2, "[[3] [3]]"},
		{[]int{0, 2}, []int{0, 1, 2}, 9, "[[1 2 0] [0 1 2]]"},
		{nil, []int{0}, 0, "[]"},
	} {
		if got := fmt.Sprint(ownersOf(c.sizes, c.members, c.replicas)); got != c.want {
			t.Errorf("%d of %v to %v: %s, want %s", c.replicas, c.sizes, c.members, got, c.want)
		}
	}
	var sizes []int
	for i := range 100 {
		sizes = append(sizes, 1+i*i*37%1000)
	}
	load := make([]int, 8)
	for i, list := range ownersOf(sizes, []int{0, 1, 2, 3, 4, 5, 6, 7}, 0) {
		load[list[0]] += sizes[i]
	}
	if slices.Max(load)-slices.Min(load) > slices.Max(sizes) {
		t.Errorf("the loads are %v", load)
	}
}
