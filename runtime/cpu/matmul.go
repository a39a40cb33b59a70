package cpu

// MatMulShape is the sizes of a product of matrices, M×K times K×N.
type MatMulShape struct{ M, K, N int }

// MatMulBatch is the sizes of the products of two tensors of matrices, M×K and K×N. A and B are the axes of the
// operands before those of the matrices, Batch those of the result, to which they broadcast.
type MatMulBatch struct {
	Batch, A, B []int
	M, K, N     int
}

// MatMul is the product of the m×k matrices of a with the k×n matrices of b, over the shape to which the
// batch axes as and bs broadcast:
//
//	for i := range batch {
//		dst[i] = a[i·as] · b[i·bs]
//	}
func MatMul[T Number](dst, a, b []T, s MatMulBatch) {
	if len(dst) == 0 {
		return
	}
	var it nest2
	it.init(s.Batch, s.A, s.B)
	row := it.size[it.rank-1]
	batch := batchShape{row, s.M, s.K, s.N, it.a[it.rank-1] * s.M * s.K, it.b[it.rank-1] * s.K * s.N}
	for o, step := 0, row*s.M*s.N; o < len(dst); o += step {
		batchMatMul(dst[o:o+step], a[it.ai*s.M*s.K:], b[it.bi*s.K*s.N:], batch)
		it.next()
	}
}

// batchMatMul is a product for each i below batch, of a[i·strideA:] and b[i·strideB:].
func batchMatMul[T Number](dst, a, b []T, s batchShape) {
	if d, ok := any(dst).([]float32); ok {
		batchMatMul32(d, any(a).([]float32), any(b).([]float32), s, nil, false)
		return
	}
	for i := range s.batch {
		d := row(dst, i, s.m*s.n)
		clear(d)
		matMulAdd(d, a[i*s.strideA:][:s.m*s.k], b[i*s.strideB:][:s.k*s.n], s.m, s.k, s.n)
	}
}

// matMulAdd is dst += a·b. The sums run over k from 0 upwards. It is computed in blocks, so that a part of b
// stays in the cache for all rows of a.
func matMulAdd[T Number](dst, a, b []T, m, k, n int) {
	const blockK, blockN = 64, 256
	for j := 0; j < n; j += blockN {
		cols := min(blockN, n-j)
		for l := 0; l < k; l += blockK {
			for i := range m {
				d := dst[i*n+j:][:cols]
				for p, v := range a[i*k+l : i*k+min(l+blockK, k)] {
					row := b[(l+p)*n+j:][:cols]
					for q, w := range row {
						d[q] += T(v * w)
					}
				}
			}
		}
	}
}
