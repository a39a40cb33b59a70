package cpu

// TopK finds the k largest (or smallest) elements along the middle one of three axes and their indices, the
// best first; of equal ones the first is better. NaN is larger than any number. x is [outer, n, inner].
func TopK[T Number](values []T, indices []int64, x []T, outer, n, k, inner int, largest bool) {
	if k == 0 {
		return
	}
	for o := range outer {
		for i := range inner {
			line := topKLine[T]{x[o*n*inner+i:], indices[o*k*inner+i:], inner, largest}
			line.run(n, k)
			for j := range k {
				values[(o*k+j)*inner+i] = line.x[int(line.index[j*inner])*inner]
			}
		}
	}
}

// TopKSize returns k, which must be at most the size n of the axis.
func TopKSize(k []int, n int) int {
	if k[0] < 0 || k[0] > n {
		fail("TopK", "k is %d for an axis of size %d", k[0], n)
	}
	return k[0]
}

// topKLine is one line along the axis. The indices hold a heap of the best
// elements so far, the worst of them on top.
type topKLine[T Number] struct {
	x       []T
	index   []int64
	step    int
	largest bool
}

func (l *topKLine[T]) run(n, k int) {
	for j := range k {
		l.index[j*l.step] = int64(j)
	}
	for j := k/2 - 1; j >= 0; j-- {
		l.sink(j, k)
	}
	for j := k; j < n; j++ {
		if l.before(int64(j), l.index[0]) {
			l.index[0] = int64(j)
			l.sink(0, k)
		}
	}
	for j := k - 1; j > 0; j-- {
		l.index[0], l.index[j*l.step] = l.index[j*l.step], l.index[0]
		l.sink(0, j)
	}
}

// sink moves element j of a heap of n down to its position.
func (l *topKLine[T]) sink(j, n int) {
	for {
		child := 2*j + 1
		if child >= n {
			return
		}
		if child+1 < n && l.before(l.index[child*l.step], l.index[(child+1)*l.step]) {
			child++
		}
		if !l.before(l.index[j*l.step], l.index[child*l.step]) {
			return
		}
		l.index[j*l.step], l.index[child*l.step] = l.index[child*l.step], l.index[j*l.step]
		j = child
	}
}

// before reports whether element a comes before b in the result.
func (l *topKLine[T]) before(a, b int64) bool {
	u, v := l.x[int(a)*l.step], l.x[int(b)*l.step]
	switch {
	case u > v:
		return l.largest
	case u < v:
		return !l.largest
	case u == v || u != u && v != v:
		return a < b
	}
	return (u != u) == l.largest
}
