package cpu

import "math"

// LpNorm divides vectors of n elements, which are inner apart, by their norm:
//
//	norm = Σ|x|       if p is 1
//	norm = √(Σx²)     if p is 2
//
// A vector of zeros is unchanged. norm is scratch of inner elements.
func LpNorm[T Float](dst, x, norm []T, n, inner, p int) {
	for block := n * inner; len(dst) > 0; dst, x = dst[block:], x[block:] {
		clear(norm)
		for i := range n {
			addNorm(norm, row(x, i, inner), p)
		}
		for j, s := range norm {
			if p == 2 {
				s = T(math.Sqrt(float64(s)))
			}
			if s == 0 {
				s = T(math.Inf(1)) // 0/∞ is 0
			}
			norm[j] = s
		}
		for i := range n {
			Div(row(dst, i, inner), row(x, i, inner), norm)
		}
	}
}

// addNorm adds the terms of x to the sums of [LpNorm].
func addNorm[T Float](norm, x []T, p int) {
	if p == 1 {
		for j, v := range x {
			norm[j] += max(v, -v)
		}
		return
	}
	addProduct(norm, x, x)
}
