package cpu

import "math"

// LpPool is the p-norm of each window of each plane:
//
//	for p, o := range dst { // plane, place
//		dst[p, o] = (sum over k of |x[p, o·stride + k·dilation - pad]|^norm) ^ (1/norm)
//	}
func LpPool[T Float](dst, x []T, planes int, norm float64, win Window) {
	slideOver(dst, x, planes, 0, win,
		func(d, x []T, stride int) { addPowers(d, x, stride, norm) },
		func(d []T, _ [maxRank]int) { roots(d, norm) })
}

// GlobalLpPool is
//
//	for i := range dst {
//		dst[i] = (sum of |v|^norm for v in x[i*n : (i+1)*n]) ^ (1/norm)
//	}
func GlobalLpPool[T Float](dst, x []T, n int, norm float64) {
	clear(dst)
	for i := range dst {
		for j := range n {
			addPowers(dst[i:i+1], x[i*n+j:], 1, norm)
		}
	}
	roots(dst, norm)
}

// addPowers is
//
//	for i := range dst {
//		dst[i] += |x[i*stride]|^norm
//	}
func addPowers[T Float](dst, x []T, stride int, norm float64) {
	for i := range dst {
		v := x[i*stride]
		switch norm {
		case 1:
			dst[i] += max(v, -v)
		case 2:
			dst[i] += T(v * v)
		default:
			dst[i] += T(math.Pow(math.Abs(float64(v)), norm))
		}
	}
}

// roots replaces each element by its root.
func roots[T Float](dst []T, norm float64) {
	for i, v := range dst {
		switch norm {
		case 1:
		case 2:
			dst[i] = T(math.Sqrt(float64(v)))
		default:
			dst[i] = T(math.Pow(float64(v), 1/norm))
		}
	}
}
