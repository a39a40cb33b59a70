package cpu

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTopKOrder compares the elements and their indices along each of three axes with a stable sort, with many equal elements
// and NaNs.
func TestTopKOrder(t *testing.T) {
	t.Run("int8", testTopKOrder[int8])
	t.Run("uint64", testTopKOrder[uint64])
	t.Run("float32", testTopKOrder[float32])
	t.Run("float64", testTopKOrder[float64])
}

func testTopKOrder[T Number](t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 7, 8, 9, 15, 16, 17, 31, 33} {
		for _, k := range []int{0, 1, n / 2, n - 1, n} {
			for _, largest := range []bool{false, true} {
				for _, inner := range []int{1, 3} {
					x := make([]T, 2*n*inner)
					for i := range x {
						if x[i] = T(rng.IntN(9)); x[i] == 8 && isFloat[T]() {
							notNumber := nan
							x[i] = T(notNumber)
						}
					}
					values, at := make([]T, 2*k*inner), make([]int64, 2*k*inner)
					TopK(values, at, x, 2, n, k, inner, largest)
					for line := range 2 * inner {
						place := func(j, size int) int { return (line/inner*size+j)*inner + line%inner }
						order := make([]int64, n)
						for j := range order {
							order[j] = int64(j)
						}
						slices.SortStableFunc(order, func(a, b int64) int {
							c := compareLastNaN(x[place(int(a), n)], x[place(int(b), n)])
							if largest {
								return -c
							}
							return c
						})
						for j := range k {
							i, v := at[place(j, k)], values[place(j, k)]
							if u := x[place(int(i), n)]; i != order[j] || u != v && u == u {
								t.Fatalf("%d of %d, largest %v: element %d is %v at %d, want that at %d", k, n, largest, j, v, i, order[j])
							}
						}
					}
				}
			}
		}
	}
}

// TestLastNaN holds that NaN comes after all numbers, in sorts and in comparisons.
func TestLastNaN(t *testing.T) {
	x := []float64{nan, 3, -inf, nan, inf, 0, -1}
	slices.SortFunc(x, compareLastNaN)
	if got := fmt.Sprint(x); got != "[-Inf -1 0 3 +Inf NaN NaN]" {
		t.Errorf("got %s", got)
	}
}

// TestUniqueRandom compares the distinct rows and columns of random matrices with those of a map.
func TestUniqueRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		outer, n, inner := 1+rng.IntN(2), rng.IntN(12), 1+rng.IntN(2)
		x := make([]int32, outer*n*inner)
		for i := range x {
			x[i] = int32(rng.IntN(3) - 1)
		}
		item := func(x []int32, n, i int) (v []int32) {
			for o := range outer {
				v = append(v, x[(o*n+i)*inner:][:inner]...)
			}
			return v
		}
		first, count := map[string]int64{}, map[string]int64{}
		var keys [][]int32 // as they come
		for i := range n {
			v := item(x, n, i)
			if count[fmt.Sprint(v)]++; count[fmt.Sprint(v)] == 1 {
				first[fmt.Sprint(v)] = int64(i)
				keys = append(keys, v)
			}
		}
		order := make([]int64, n)
		m := UniqueCount(order, x, outer, n, inner)
		for k := 1; k < n; k++ {
			if a, b := order[k-1], order[k]; slices.Equal(item(x, n, int(a)), item(x, n, int(b))) && a > b {
				t.Errorf("equal items %d and %d are in the wrong order", a, b)
			}
		}
		if m != len(keys) {
			t.Fatalf("got %d distinct items of %v, want %d", m, x, len(keys))
		}
		for _, sorted := range []bool{false, true} {
			if sorted {
				slices.SortFunc(keys, slices.Compare[[]int32])
			}
			y, at, inverse, counts := make([]int32, outer*m*inner), make([]int64, m), make([]int64, n), make([]int64, m)
			Unique(y, at, inverse, counts, x, order, make([]int64, 2*n), UniqueShape{Outer: outer, N: n, Inner: inner, Sorted: sorted})
			for k, v := range keys {
				equal(t, "item", item(y, m, k), v...)
				if s := fmt.Sprint(v); at[k] != first[s] || counts[k] != count[s] {
					t.Errorf("%s: first at %d, %d times, want %d, %d times", s, at[k], counts[k], first[s], count[s])
				}
			}
			for i, k := range inverse {
				equal(t, "item by its number", item(y, m, int(k)), item(x, n, i)...)
			}
		}
	}
}

// TestArgMaxRandom compares the places of the largest and the smallest elements with a search, for both choices among equals.
func TestArgMaxRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		n, inner := 1+rng.IntN(9), 1+rng.IntN(3)
		x := make([]uint8, 2*n*inner)
		for i := range x {
			x[i] = uint8(rng.IntN(4))
		}
		most, least, last := make([]int64, 2*inner), make([]int64, 2*inner), rng.IntN(2) == 1
		ArgMax(most, x, 2, n, inner, last)
		ArgMin(least, x, 2, n, inner, last)
		for line := range 2 * inner {
			values := make([]uint8, n)
			for j := range values {
				values[j] = x[(line/inner*n+j)*inner+line%inner]
			}
			search := func(best uint8) int64 {
				at := slices.Index(values, best)
				if last {
					slices.Reverse(values)
					at = n - 1 - slices.Index(values, best)
					slices.Reverse(values)
				}
				return int64(at)
			}
			if a, b := search(slices.Max(values)), search(slices.Min(values)); most[line] != a || least[line] != b {
				t.Errorf("of %v, last %v: got %d and %d, want %d and %d", values, last, most[line], least[line], a, b)
			}
		}
	}
}

// TestCumulativeExtremes compares the largest and the smallest elements so far with the definition, in both directions; after a
// NaN all are NaN.
func TestCumulativeExtremes(t *testing.T) {
	shape := []int{2, 5, 3}
	x := gaussians[float64](sizeOf(shape))
	x[7], x[20] = nan, -inf
	for axis := range shape {
		outer, n, inner := sizeOf(shape[:axis]), shape[axis], sizeOf(shape[axis+1:])
		for _, reverse := range []bool{false, true} {
			most, least := make([]float64, len(x)), make([]float64, len(x))
			CumMax(most, x, []int64{int64(axis)}, shape, reverse)
			CumMin(least, x, []int32{int32(axis - 3)}, shape, reverse)
			for i := range x {
				at := func(j int) int { return i/(n*inner)*n*inner + j*inner + i%inner }
				from, to := 0, i/inner%n
				if reverse {
					from, to = to, n-1
				}
				a, b := -inf, inf
				for j := from; j <= to; j++ {
					a, b = max(a, x[at(j)]), min(b, x[at(j)])
				}
				if cmp.Compare(most[i], a) != 0 || cmp.Compare(least[i], b) != 0 {
					t.Errorf("axis %d of %d, reverse %v: element %d is %v and %v, want %v and %v", axis, outer, reverse, i, most[i], least[i], a, b)
				}
			}
		}
	}
	bytes := make([]uint8, 4)
	CumMax(bytes, []uint8{3, 1, 255, 0}, []int64{0}, []int{4}, false)
	equal(t, "bytes", bytes, 3, 3, 255, 255)
}
