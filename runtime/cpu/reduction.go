package cpu

// reduction iterates over the rows of x. A row is the last axes that are either all reduced or all kept.
type reduction struct {
	rank   int
	size   [maxRank + 1]int // of an axis of x
	stride [maxRank + 1]int // in dst; 0: the axis is reduced
	index  [maxRank + 1]int
	begun  bool

	n    int  // length of a row
	keep bool // a row of x is also a row of dst
	x, d int  // where the row begins in x and in dst
}

// init merges adjacent axes that are all reduced or all kept. In to, reduced axes are 1.
func (r *reduction) init(shape, to []int) {
	step := 1
	var stride [maxRank]int
	for i := len(shape) - 1; i >= 0; i-- {
		if to[i] != 1 {
			stride[i] = step
			step *= to[i]
		}
	}
	for i, n := range shape {
		if n == 1 {
			continue
		}
		if k := r.rank - 1; k >= 0 && (stride[i] == 0) == (r.stride[k] == 0) {
			r.size[k] *= n
			r.stride[k] = stride[i]
			continue
		}
		r.size[r.rank], r.stride[r.rank] = n, stride[i]
		r.rank++
	}
	if r.rank == 0 {
		r.size[0], r.rank = 1, 1
	}
	r.n, r.keep = r.size[r.rank-1], r.stride[r.rank-1] != 0
}

// rows reports whether x is a matrix whose rows are reduced, and not empty.
func (r *reduction) rows() bool { return r.rank == 2 && !r.keep && min(r.size[0], r.n) > 0 }

// columns reports whether x is a matrix whose columns are reduced.
func (r *reduction) columns() bool { return r.rank == 2 && r.keep }

// middle reports whether x is some matrices, each of whose columns are reduced, and none is empty.
func (r *reduction) middle() bool { return r.rank == 3 && r.keep && min(r.size[0], r.size[1], r.n) > 0 }

// next goes to the next row and reports whether there is one.
func (r *reduction) next(dst, x int) bool {
	if !r.begun {
		r.begun = true
		return dst > 0 && x > 0
	}
	r.x += r.n
	for k := r.rank - 2; k >= 0; k-- {
		r.index[k]++
		r.d += r.stride[k]
		if r.index[k] < r.size[k] {
			break
		}
		r.d -= r.stride[k] * r.size[k]
		r.index[k] = 0
	}
	return r.x < x
}

// reduceWith reduces each group of elements of x, beginning with start. Group reduces the elements of a row
// into the result of its group so far. Along reduces each element of a row into the element of dst at its
// place.
func reduceWith[T any](dst, x []T, start T, shape, to []int, along func(d, row []T), group func(so T, row []T) T) {
	fill(dst, start)
	var r reduction
	r.init(shape, to)
	for r.next(len(dst), len(x)) {
		row := x[r.x : r.x+r.n]
		if r.keep {
			along(dst[r.d:r.d+r.n], row)
		} else {
			dst[r.d] = group(dst[r.d], row)
		}
	}
}

// ReduceDim returns the size of an axis after a reduction along axes that keeps the rank: 1, or the previous
// size. Without axes it reduces all, or none if noop is set.
func ReduceDim[I Index](axes []I, shape []int, noop bool, axis int) int {
	if reduced(axes, len(shape), noop)&(1<<axis) != 0 {
		return 1
	}
	return shape[axis]
}

// ReduceKept returns the size of the k-th axis that a reduction keeps.
func ReduceKept[I Index](axes []I, shape []int, noop bool, k int) int {
	mask := reduced(axes, len(shape), noop)
	for i, n := range shape {
		if mask&(1<<i) != 0 {
			continue
		}
		if k == 0 {
			return n
		}
		k--
	}
	fail("Reduce", "axes %v are not different axes", axes)
	return 0
}

// reduced returns the set of reduced axes, a bit for each.
func reduced[I Index](axes []I, rank int, noop bool) int {
	if len(axes) == 0 && !noop {
		return 1<<rank - 1
	}
	mask := 0
	for _, a := range axes {
		i := toInt(a)
		if i < 0 {
			i += rank
		}
		if i < 0 || i >= rank {
			failAxis("Reduce", toInt(a), rank)
		}
		if mask&(1<<i) != 0 {
			fail("Reduce", "axes %v name an axis twice", axes)
		}
		mask |= 1 << i
	}
	return mask
}
