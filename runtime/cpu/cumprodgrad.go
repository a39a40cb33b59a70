package cpu

// CumProdGrad is the gradient of [CumProd]: with the elements of a line in the
// order in which they are multiplied,
//
//	dst[j] = Σ dy[i] · Π x[k]   for i ≥ j, and k ≤ i other than j
//
// or for i > j and k < i if exclusive is set.
//
// NB: quadratic in the size of the axis, but correct for zeros.
func CumProdGrad[T Float, I Index](dst, dy, x []T, axis []I, shape []int, exclusive, reverse bool) {
	outer, n, inner := splitAt("CumProdGrad", axis, shape)
	for line := range outer * inner {
		at, step := line/inner*n*inner+line%inner, inner
		if reverse {
			at, step = at+(n-1)*inner, -inner
		}
		before := T(1) // the product of the factors before j
		for j := range n {
			p, sum, i := before, T(0), j
			if exclusive {
				i++
			}
			for ; i < n; i++ {
				k := i // the last factor of product i
				if exclusive {
					k--
				}
				if k > j {
					p *= x[at+k*step]
				}
				sum += T(dy[at+i*step] * p)
			}
			dst[at+j*step] = sum
			before *= x[at+j*step]
		}
	}
}
