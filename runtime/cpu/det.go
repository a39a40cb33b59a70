package cpu

// Det is the determinant of each of the n×n matrices in x, by elimination with
// the largest pivots. The scratch a is one matrix.
func Det[T Float](dst, x, a []T, n int) {
	for k := range dst {
		copy(a, x[k*n*n:(k+1)*n*n])
		dst[k] = determinant(a[:n*n], n)
	}
}

func determinant[T Float](a []T, n int) T {
	var det T = 1
	for k := range n {
		p := k
		for i := k + 1; i < n; i++ {
			if abs(a[i*n+k]) > abs(a[p*n+k]) {
				p = i
			}
		}
		if a[p*n+k] == 0 {
			return 0
		}
		if p != k {
			det = -det
			for j := k; j < n; j++ {
				a[k*n+j], a[p*n+j] = a[p*n+j], a[k*n+j]
			}
		}
		det *= a[k*n+k]
		for i := k + 1; i < n; i++ {
			f := a[i*n+k] / a[k*n+k]
			for j := k + 1; j < n; j++ {
				a[i*n+j] -= T(f * a[k*n+j])
			}
		}
	}
	return det
}

// DetGrad is the gradient of [Det]: dy times the cofactors. The scratch a is
// one matrix.
//
// NB: each cofactor is computed as a determinant, which is correct for singular matrices.
func DetGrad[T Float](dst, dy, x, a []T, n int) {
	for m, g := range dy {
		mx, d := x[m*n*n:(m+1)*n*n], dst[m*n*n:(m+1)*n*n]
		for at := range d {
			r, c, k := at/n, at%n, 0
			for i, v := range mx {
				if i/n != r && i%n != c {
					a[k] = v
					k++
				}
			}
			d[at] = g * determinant(a[:k], n-1)
			if (r+c)%2 == 1 {
				d[at] = -d[at]
			}
		}
	}
}
