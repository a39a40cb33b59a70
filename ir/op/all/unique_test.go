package all_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// sliceAt returns the elements of x at an index of an axis, in order.
func sliceAt(x *tensor.Tensor, axis, index int) []float64 {
	inner := 1
	for _, n := range x.Shape[axis+1:] {
		inner *= n
	}
	var out []float64
	for i, v := range x.Data.([]float64) {
		if i/inner%x.Shape[axis] == index {
			out = append(out, v)
		}
	}
	return out
}

// TestUniqueModel compares Unique along any axis, sorted and in order of occurrence, with a search through lists.
func TestUniqueModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 400 {
		rank := 1 + rng.IntN(3)
		shape := make([]int, rank)
		for i := range shape {
			shape[i] = 1 + rng.IntN(4)
		}
		shape[rng.IntN(rank)] = rng.IntN(9)
		x := drawn(rng, shape...)
		for i := range x.Data.([]float64) {
			x.Data.([]float64)[i] = float64(rng.IntN(3))
		}
		sorted, axis := rng.IntN(2), rng.IntN(rank+1)
		along, node := x, fmt.Sprintf("Unique {sorted = %d}", sorted)
		if axis == rank { // all elements
			along, axis = tensor.Of(x.Data.([]float64), len(x.Data.([]float64))), 0
		} else {
			written := axis - rng.IntN(2)*rank
			node = fmt.Sprintf("Unique {sorted = %d, axis = %d}", sorted, written)
		}
		var distinct [][]float64
		var first, counts []int64
		items := make([][]float64, along.Shape[axis])
		for i := range items {
			items[i] = sliceAt(along, axis, i)
			k := slices.IndexFunc(distinct, func(d []float64) bool { return slices.Equal(d, items[i]) })
			if k < 0 {
				k = len(distinct)
				distinct, first, counts = append(distinct, items[i]), append(first, int64(i)), append(counts, 0)
			}
			counts[k]++
		}
		order := make([]int, len(distinct))
		for i := range order {
			order[i] = i
		}
		if sorted == 1 {
			slices.SortStableFunc(order, func(a, b int) int { return slices.CompareFunc(distinct[a], distinct[b], cmp.Compare) })
		}
		what := fmt.Sprint(node, " of ", x.Shape, x.Data)
		out := computed(t, 4, node, x)
		y, at, inverse, times := out[0], out[1].Data.([]int64), out[2].Data.([]int64), out[3].Data.([]int64)
		if y.Shape[axis] != len(distinct) || len(at) != len(distinct) || len(times) != len(distinct) || len(inverse) != len(items) {
			t.Fatalf("%s: %d distinct items with %d indices, want %d", what, y.Shape[axis], len(at), len(distinct))
		}
		for k, i := range order {
			if got := sliceAt(y, axis, k); !slices.Equal(got, distinct[i]) || at[k] != first[i] || times[k] != counts[i] {
				t.Fatalf("%s: item %d is %v, first at %d, %d times; want %v, %d, %d", what, k, got, at[k], times[k], distinct[i], first[i], counts[i])
			}
		}
		for i, item := range items {
			if got := sliceAt(y, axis, int(inverse[i])); !slices.Equal(got, item) {
				t.Fatalf("%s: the inverse of %d is %d", what, i, inverse[i])
			}
		}
	}
}
