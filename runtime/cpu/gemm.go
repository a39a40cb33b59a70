package cpu

// Matrix products of float32.
//
// An element of the product is one sum over k from 0 upwards in a single float32 accumulator, with fused
// multiply-adds at levels that have them. This order depends only on k. So the bits depend neither on the
// number of threads or rows nor on the division into tiles, and AVX2 and AVX512 give the same bits. The error
// is at most k·2⁻²⁴·Σ|aᵢbᵢ|, with one more rounding per term at level Portable. A term that is fused into its
// sum does not overflow: if it is added to an infinite sum of the other sign, the sum remains infinite, but
// becomes NaN at level Portable.

// Act is the function that a product applies to each element before it is stored.
type Act uint8

const (
	ActNone Act = iota
	ActRelu
	ActSigmoid
	ActTanh
	ActGelu        // x/2·(1+erf(x/√2))
	ActGeluTanh    // its approximation by tanh
	ActSilu        // x·sigmoid(x)
	ActRelu6       // min(max(x, 0), 6)
	ActHardSigmoid // max(0, min(1, x/6+1/2))
	ActHardSwish   // x·max(0, min(1, x/6+1/2))
)

// apply replaces x by act(x).
func (act Act) apply(x []float32) {
	switch act {
	case ActNone:
	case ActRelu:
		VecRelu32(x, x)
	case ActSigmoid:
		VecSigmoid32(x, x)
	case ActTanh:
		VecTanh32(x, x)
	case ActGelu:
		VecGelu32(x, x)
	case ActGeluTanh:
		VecGeluTanh32(x, x)
	case ActSilu:
		VecSilu32(x, x)
	case ActRelu6:
		VecMaxS32(x, x, 0)
		VecMinS32(x, x, 6)
	case ActHardSigmoid:
		HardSigmoid(x, x, 1./6, 0.5)
	case ActHardSwish:
		HardSwish(x, x)
	default:
		panic("BUG: unknown activation")
	}
}

// MatMul32 is dst = a·b for a of m×k, b of k×n and dst of m×n elements, row after row:
//
//	for i := range m {
//		for j := range n {
//			sum := float32(0)
//			for l := range k {
//				sum += a[i*k+l] * b[l*n+j]
//			}
//			dst[i*n+j] = sum
//		}
//	}
func MatMul32(dst, a, b []float32, m, k, n int) {
	Gemm32(dst, a, b, GemmShape{M: m, K: k, N: n, Alpha: 1})
}

// GemmShape is the sizes and the factors of [Gemm] and [Gemm32]: op(a) is M×K and op(b) is K×N. With TransA, a is
// K×M and op(a) its transpose; with TransB, b is N×K and op(b) its transpose.
type GemmShape struct {
	M, K, N        int
	TransA, TransB bool
	Alpha, Beta    float64
}

// Gemm32 is dst = Alpha·op(a)·op(b) + Beta·dst. With a Beta of 0, dst is not read. An Alpha other than 1 is
// multiplied into b before the products are summed.
func Gemm32(dst, a, b []float32, s GemmShape) {
	dst, a, b = dst[:s.M*s.N], a[:s.M*s.K], b[:s.K*s.N]
	if s.M == 0 || s.N == 0 {
		return
	}
	if s.N == 1 && s.M > 1 && s.M*s.K <= maxColumn && s.Alpha == 1 {
		Gemm32(dst, b, a, GemmShape{M: 1, K: s.K, N: s.M, TransB: !s.TransA, Alpha: 1, Beta: s.Beta}) // as a row, it fills vectors
		return
	}
	switch s.Beta {
	case 0:
		if s.K == 0 {
			clear(dst)
		}
	case 1:
	default:
		VecMulS32(dst, dst, float32(s.Beta))
	}
	if s.K == 0 {
		return
	}
	var ownA []float32
	if s.TransA && s.M > 1 {
		ownA = scratch.get(s.M * s.K)
		transposeAll(ownA, a, s.K, s.M)
		a = ownA
	}
	ldb := s.N
	if s.TransB {
		ldb = s.K
	}
	g := gemms.get()
	*g = gemm{dst: dst, a: a, batch: 1, m: s.M, k: s.K, n: s.N, lda: s.K, ldc: s.N, acc: s.Beta != 0}
	g.times(b, ldb, s.TransB, float32(s.Alpha))
	scratch.put(ownA)
}

// maxColumn is the largest number of elements of a matrix that is transposed for its product with one column: it
// stays in a cache.
const maxColumn = 1 << 19

// times multiplies a by alpha·op(b), where rows of b are ldb apart, and gives g back.
func (g *gemm) times(b []float32, ldb int, transB bool, alpha float32) {
	if transB && g.n == 1 {
		transB, ldb = false, 1
	}
	var own []float32
	k, n, plain := g.k, g.n, !transB && alpha == 1
	switch {
	case plain && inPlace(g.m, k, n, ldb):
		if n%panel != 0 {
			own = scratch.get(panel * k)
			packPanel(own, b[n&^(panel-1):], k, n%panel, ldb)
			g.tail = own
		}
		g.b, g.ldb, g.inPlace = b, ldb, true
	case plain && Threads() == 1: // no other thread would use the packed operands
		g.b, g.ldb, g.packs = b, ldb, true
	default:
		own = scratch.get(PackB32Size(k, n))
		packB(own, b, k, n, ldb, transB, alpha)
		g.b = own
	}
	g.do()
	gemms.put(g)
	scratch.put(own)
}

// MatMulPacked32 is dst = act(a·b + bias), where packedB is the result of [PackB32] for b. The bias has n
// elements, one for each column, or is nil.
func MatMulPacked32(dst, a, packedB, bias []float32, m, k, n int, act Act) {
	MatMulPackedAdd32(dst, a, packedB, bias, nil, MatMulShape{M: m, K: k, N: n}, act)
}

// MatMulPackedAdd32 is dst = act(a·b + bias + res), like [MatMulPacked32]. Res has dst's shape or is nil. It
// must not be dst itself, which holds partial sums.
func MatMulPackedAdd32(dst, a, packedB, bias, res []float32, s MatMulShape, act Act) {
	dst, a, packedB = dst[:s.M*s.N], a[:s.M*s.K], packedB[:PackB32Size(s.K, s.N)]
	if s.M == 0 || s.N == 0 {
		return
	}
	if bias != nil {
		bias = bias[:s.N]
	}
	if res != nil {
		res = res[:s.M*s.N]
	}
	if s.M <= tileRows() && s.K <= blockK && s.M*s.K*s.N <= fewProducts {
		fewRows(dst, a, packedB, bias, res, s.M, s.K, s.N, act)
		return
	}
	g := gemms.get()
	*g = gemm{dst: dst, a: a, b: packedB, bias: bias, res: res, batch: 1, m: s.M, k: s.K, n: s.N, lda: s.K, ldc: s.N, act: act}
	g.do()
	gemms.put(g)
}

// fewProducts is the number of multiplications up to which sharing them with other threads takes longer than
// computing them.
const fewProducts = 1 << 17

// fewRows is MatMulPackedAdd32 for the rows of one tile, without the costs of sharing the work.
func fewRows(dst, a, packedB, bias, res []float32, m, k, n int, act Act) {
	t := gemmTile{a: a, lda: k, ldb: panel, ldp: panel * k, ldc: n, k: k, rows: m, flags: tileAct(act)}
	if bias != nil {
		t.flags |= tileBias
	}
	if res != nil {
		t.flags |= tileRes
	}
	step := tilePanels(m) * panel
	for j := 0; j < n; j += step {
		if j+step > n {
			step = panel
		}
		t.b, t.c, t.cols = packedB[j*k:], dst[j:], min(step, n-j)
		t.bias, t.res, t.ahead = from(bias, j), from(res, j), nil
		t.run()
	}
	if act != ActNone && tileAct(act) == 0 {
		act.apply(dst)
	}
}

// BatchMatMul32 is the product of [MatMul32] for each i below batch, of a[i·strideA:] and b[i·strideB:]. The
// products follow each other in dst. With a stride of 0 all use the same matrix.
func BatchMatMul32(dst, a, b []float32, batch int, s MatMulShape, strideA, strideB int) {
	batchMatMul32(dst, a, b, batch, s.M, s.K, s.N, strideA, strideB, false)
}

// BatchMatMulT32 is [BatchMatMul32] with the transposes of the matrices b, n×k.
func BatchMatMulT32(dst, a, b []float32, batch int, s MatMulShape, strideA, strideB int) {
	batchMatMul32(dst, a, b, batch, s.M, s.K, s.N, strideA, strideB, true)
}

// BatchMatMulTA32 is [BatchMatMul32] with the transposes of the matrices a, k×m.
func BatchMatMulTA32(dst, a, b []float32, batch int, s MatMulShape, strideA, strideB int) {
	dst = dst[:batch*s.M*s.N]
	if len(dst) == 0 || s.K == 0 {
		clear(dst)
		return
	}
	t := transposedTasks.get()
	*t = transposedTask{dst: dst, a: a, b: b, m: s.M, k: s.K, n: s.N, strideA: strideA, strideB: strideB}
	parallel(batch, batch*s.M*s.K*s.N/tileSpeed(), t)
	*t = transposedTask{}
	transposedTasks.put(t)
}

// transposedTask is the task of products with transposed left operands. A turn is one product, so that the
// operand that it transposes stays in the cache.
type transposedTask struct {
	dst, a, b                 []float32
	m, k, n, strideA, strideB int
}

var transposedTasks freelist[transposedTask]

func (t *transposedTask) run(i int) {
	a := scratch.get(t.m * t.k)
	transpose(a, t.a[i*t.strideA:], t.k, t.m, t.k, t.m)
	MatMul32(row(t.dst, i, t.m*t.n), a, t.b[i*t.strideB:], t.m, t.k, t.n)
	scratch.put(a)
}

func batchMatMul32(dst, a, b []float32, batch, m, k, n int, strideA, strideB int, transB bool) {
	dst = dst[:batch*m*n]
	if len(dst) == 0 || k == 0 {
		clear(dst)
		return
	}
	if batch == 1 || strideB == 0 && strideA == m*k { // one tall product
		Gemm32(dst, a, b, GemmShape{M: batch * m, K: k, N: n, TransB: transB, Alpha: 1})
		return
	}
	a, b = a[:(batch-1)*strideA+m*k], b[:(batch-1)*strideB+k*n]
	g := gemms.get()
	*g = gemm{dst: dst, a: a, b: b, batch: batch, m: m, k: k, n: n, lda: k, ldc: n, strideA: strideA, strideB: strideB, strideC: m * n}
	var packed []float32
	if !transB && n%panel == 0 && inPlace(m, k, n, n) {
		g.inPlace, g.ldb = true, n
	} else {
		size, matrices := PackB32Size(k, n), 1
		if strideB != 0 {
			matrices, g.strideB = batch, size
		}
		packed = scratch.get(matrices * size)
		p := packers.get()
		*p = packer{dst: packed, b: b, k: k, n: n, ldb: n, alpha: 1, trans: transB, stride: strideB}
		if transB {
			p.ldb = k
		}
		p.do(matrices)
		packers.put(p)
		g.b = packed
	}
	g.do()
	gemms.put(g)
	scratch.put(packed)
}
