package cpu

import "testing"

// Rows of Where are the same at every level, for every length, with operands of any steps.
func TestWhereRows(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		lengths(func(n int, a, b []float32) {
			cond := make([]bool, n)
			for i := range cond {
				cond[i] = i%3 == 0 || i%7 == 2
			}
			dst, check := guarded(n)
			try := func(what string, want func(i int) float32) {
				check(t)
				for i := range dst {
					if !sameValue(dst[i], want(i)) {
						t.Fatalf("%s: %v at %d of %d, want %v", what, dst[i], i, n, want(i))
					}
				}
			}
			choose := func(i int, a, b float32) float32 {
				if cond[i] {
					return a
				}
				return b
			}
			s := []float32{-2.5}
			Where(dst, cond, a, b, []int{n}, []int{n}, []int{n}, []int{n})
			try("vectors", func(i int) float32 { return choose(i, a[i], b[i]) })
			Where(dst, cond, a, s, []int{n}, []int{n}, []int{n}, []int{1})
			try("a vector and a number", func(i int) float32 { return choose(i, a[i], s[0]) })
			Where(dst, cond, s, b, []int{n}, []int{n}, []int{1}, []int{n})
			try("a number and a vector", func(i int) float32 { return choose(i, s[0], b[i]) })
			Where(dst, []bool{true}, a, b, []int{n}, []int{1}, []int{n}, []int{n})
			try("one condition", func(i int) float32 { return a[i] })
		})
	})
}

// A mask of the last axes is repeated for all axes before them, on any number of threads.
func TestWhereThreads(t *testing.T) {
	defer SetThreads(0)
	const batch, n = 300, 96
	mask, x, dst := make([]bool, n*n), make([]float32, batch*n*n/8), make([]float32, batch*n*n/8)
	for i := range mask {
		mask[i] = i%n <= i/n
	}
	for i := range x {
		x[i] = float32(i)
	}
	rows := len(x) / (n * n)
	x, dst = x[:rows*n*n], dst[:rows*n*n]
	for _, threads := range []int{1, 4} {
		SetThreads(threads)
		clear(dst)
		f := func() { Where(dst, mask, x, []float32{-1}, []int{rows, n, n}, []int{n, n}, []int{rows, n, n}, []int{}) }
		f()
		for i, v := range dst {
			want := float32(-1)
			if mask[i%(n*n)] {
				want = x[i]
			}
			if v != want {
				t.Fatalf("%d threads: %v at %d, want %v", threads, v, i, want)
			}
		}
	}
}
