package cpu

import "slices"

// UniqueCount sorts the n items along the middle one of three axes and counts the distinct ones. Items are
// compared lexicographically. order gets the items' positions, those of equal items in ascending order. NaNs
// are equal to each other and come last.
func UniqueCount[T Number | string](order []int64, x []T, outer, n, inner int) int {
	for i := range order {
		order[i] = int64(i)
	}
	slices.SortFunc(order, func(a, b int64) int {
		if c := compareItems(x, int(a), int(b), outer, n, inner); c != 0 {
			return c
		}
		return int(a - b)
	})
	count := 0
	for k := range order {
		if k == 0 || compareItems(x, int(order[k-1]), int(order[k]), outer, n, inner) != 0 {
			count++
		}
	}
	return count
}

// UniqueShape is the sizes of the three axes of [Unique], and whether it sorts.
type UniqueShape struct {
	Outer, N, Inner int
	Sorted          bool
}

// Unique writes the distinct items that [UniqueCount] found, the first position of each, the number of the
// distinct item for every item, and how often each occurs; operands that are nil are not written. The
// distinct items are sorted, or in the order of their first occurrence. work is scratch of 2N elements.
func Unique[T Number | string](y []T, first, inverse, counts []int64, x []T, order, work []int64, s UniqueShape) {
	group, place := work[:s.N], work[s.N:]
	m := 0
	for k, i := range order {
		if k == 0 || compareItems(x, int(order[k-1]), int(i), s.Outer, s.N, s.Inner) != 0 {
			place[m] = int64(m)
			m++
		}
		group[i] = int64(m - 1)
	}
	if !s.Sorted {
		fill(place[:m], -1)
		next := int64(0)
		for _, g := range group {
			if place[g] < 0 {
				place[g] = next
				next++
			}
		}
	}
	if counts != nil {
		fill(counts, 0)
	}
	for i := s.N - 1; i >= 0; i-- { // the first position is written last
		p := int(place[group[i]])
		if y != nil {
			for o := range s.Outer {
				copy(y[(o*m+p)*s.Inner:][:s.Inner], x[(o*s.N+i)*s.Inner:])
			}
		}
		if first != nil {
			first[p] = int64(i)
		}
		if inverse != nil {
			inverse[i] = int64(p)
		}
		if counts != nil {
			counts[p]++
		}
	}
}

func compareItems[T Number | string](x []T, a, b, outer, n, inner int) int {
	for o := range outer {
		u, v := x[(o*n+a)*inner:][:inner], x[(o*n+b)*inner:][:inner]
		for i := range u {
			if c := compareLastNaN(u[i], v[i]); c != 0 {
				return c
			}
		}
	}
	return 0
}

func compareLastNaN[T Number | string](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a == b || a != a && b != b:
		return 0
	case a != a:
		return 1
	}
	return -1
}
