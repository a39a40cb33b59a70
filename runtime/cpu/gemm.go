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
	product32(dst, a, b, GemmShape{M: m, K: k, N: n, Alpha: 1})
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
func Gemm32(dst, a, b []float32, s GemmShape) { gemmBiased32(dst, a, b, nil, s) }

// gemmBiased32 is [Gemm32] with a bias, which is added to the sums of each row. It has N elements, or is nil. N is not 1 then, and K not 0.
func gemmBiased32(dst, a, b, bias []float32, s GemmShape) {
	gemm32(dst, a, b, bias, s, (*gemmTile).runColumns)
}

// product32 is [Gemm32] for an a that is not transposed.
func product32(dst, a, b []float32, s GemmShape) { gemm32(dst, a, b, nil, s, nil) }

// gemm32 is gemmBiased32. Columns runs tiles of a transposed a; it may be nil if there is no such a.
func gemm32(dst, a, b, bias []float32, s GemmShape, columns tileRun) {
	dst, a, b = dst[:s.M*s.N], a[:s.M*s.K], b[:s.K*s.N]
	if s.M == 0 || s.N == 0 {
		return
	}
	if s.N == 1 && s.M > 1 && s.M*s.K <= maxColumn && s.Alpha == 1 {
		product32(dst, b, a, GemmShape{M: 1, K: s.K, N: s.M, TransB: !s.TransA, Alpha: 1, Beta: s.Beta}) // as a row, it fills vectors
		return
	}
	if s.isWide() {
		gemmWide(dst, a, b, bias, s)
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
	g := gemms.get()
	*g = gemm{dst: dst, batch: 1, m: s.M, k: s.K, n: s.N, lda: s.K, ldc: s.N, bias: bias, acc: s.Beta != 0}
	var ownA []float32
	switch {
	case !s.TransA || s.M == 1:
	case takesColumns(s.M, s.N):
		g.transposeA(columns)
	default:
		ownA = scratch.get(s.M * s.K)
		transposeAll(ownA, a, s.K, s.M)
		a = ownA
	}
	ldb := s.N
	if s.TransB {
		ldb = s.K
	}
	g.a = a
	g.times(b, ldb, s.TransB, float32(s.Alpha))
	scratch.put(ownA)
}

// transposeA makes the product read columns of a, with tiles that columns runs.
func (g *gemm) transposeA(columns tileRun) { g.transA, g.lda, g.runRows = true, g.m, columns }

// isWide reports whether the transpose of a product is computed: b is given by its transpose, and has so many columns that packing it takes
// longer than packing a and transposing the result.
func (s GemmShape) isWide() bool {
	return s.TransB && !s.TransA && s.Alpha == 1 && s.Beta == 0 && s.K > 0 && s.M >= 8 && s.N >= 4*s.M && level != Portable
}

// gemmWide is dst = a·bᵀ + bias as the transpose of b·aᵀ. The sums have the same terms in the same order.
func gemmWide(dst, a, b, bias []float32, s GemmShape) {
	own := scratch.get(s.M * s.N)
	product32(own, b, a, GemmShape{M: s.N, K: s.K, N: s.M, TransB: true, Alpha: 1})
	transposeBiased(dst, own, bias, s.N, s.M)
	scratch.put(own)
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
		if !g.wholeVectors() {
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
	if s.isFew() {
		fewRows(dst, a, packedB, bias, res, s, act)
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

// isFew reports whether a product has the rows of one tile, and too few multiplications to share them.
func (s MatMulShape) isFew() bool {
	return s.M <= tileRows() && s.K <= blockK && s.M*s.K*s.N <= fewProducts
}

// fewRows is [MatMulPackedAdd32] for a product that isFew, without the costs of sharing the work.
func fewRows(dst, a, packedB, bias, res []float32, s MatMulShape, act Act) {
	var t gemmTile // not a literal: the compiler would make it elsewhere and copy it, in 40 ns of some hundred
	t.flags = tileAct(act)
	if bias != nil {
		t.flags |= tileBias
	}
	if res != nil {
		t.flags |= tileRes
	}
	t.runAll(dst, a, packedB, bias, res, s)
	if act != ActNone && tileAct(act) == 0 {
		act.apply(dst)
	}
}

// runAll runs the tile, whose flags are set, for all columns of a product that isFew.
func (t *gemmTile) runAll(dst, a, packedB, bias, res []float32, s MatMulShape) {
	t.a, t.lda, t.ldb, t.ldp, t.ldc = a, s.K, panel, panel*s.K, s.N
	t.k, t.rows = s.K, s.M
	step := tilePanels(s.M) * panel
	for j := 0; j < s.N; j += step {
		if j+step > s.N {
			step = panel
		}
		t.b, t.c, t.cols = packedB[j*s.K:], dst[j:], min(step, s.N-j)
		t.bias, t.res, t.ahead = from(bias, j), from(res, j), nil
		t.run()
	}
}

// BatchMatMul32 is the product of [MatMul32] for each i below batch, of a[i·strideA:] and b[i·strideB:]. The
// products follow each other in dst. With a stride of 0 all use the same matrix.
func BatchMatMul32(dst, a, b []float32, batch int, s MatMulShape, strideA, strideB int) {
	batchMatMul32(dst, a, b, batchOf(batch, s, strideA, strideB), nil, false)
}

// BatchMatMulT32 is [BatchMatMul32] with the transposes of the matrices b, n×k.
func BatchMatMulT32(dst, a, b []float32, batch int, s MatMulShape, strideA, strideB int) {
	batchMatMul32(dst, a, b, batchOf(batch, s, strideA, strideB), nil, true)
}

// BatchMatMulTA32 is [BatchMatMul32] with the transposes of the matrices a, k×m.
func BatchMatMulTA32(dst, a, b []float32, batch int, s MatMulShape, strideA, strideB int) {
	dst = dst[:batch*s.M*s.N]
	switch {
	case len(dst) == 0 || s.K == 0:
		clear(dst)
		return
	case takesColumns(s.M, s.N):
		batchMatMul32(dst, a, b, batchOf(batch, s, strideA, strideB), (*gemmTile).runColumns, false)
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

// batchShape is the sizes of the products of a batch, and the distances of their operands.
type batchShape struct {
	batch, m, k, n   int
	strideA, strideB int
}

func batchOf(batch int, s MatMulShape, strideA, strideB int) batchShape {
	return batchShape{batch, s.M, s.K, s.N, strideA, strideB}
}

// batchMatMul32 is [BatchMatMulT32] with transB, and otherwise [BatchMatMul32]. With columns, which run its tiles, the
// matrices a are transposed.
func batchMatMul32(dst, a, b []float32, s batchShape, columns tileRun, transB bool) {
	batch, m, k, n, strideA, strideB := s.batch, s.m, s.k, s.n, s.strideA, s.strideB
	dst = dst[:batch*m*n]
	if len(dst) == 0 || k == 0 {
		clear(dst)
		return
	}
	transA := columns != nil
	if batch == 1 || strideB == 0 && strideA == m*k && !transA { // one tall product
		gemm32(dst, a, b, nil, GemmShape{M: batch * m, K: k, N: n, TransA: transA, TransB: transB, Alpha: 1}, columns)
		return
	}
	a, b = a[:(batch-1)*strideA+m*k], b[:(batch-1)*strideB+k*n]
	g := gemms.get()
	*g = gemm{dst: dst, a: a, b: b, batch: batch, m: m, k: k, n: n, lda: k, ldc: n, strideA: strideA, strideB: strideB, strideC: m * n}
	if transA {
		g.transposeA(columns)
	}
	var packed []float32
	switch {
	case !transB && g.wholeVectors() && inPlace(m, k, n, n):
		g.inPlace, g.ldb = true, n
	case transB && g.eachInOneTurn():
		g.packs, g.transB, g.ldb = true, true, k
	default:
		packed = g.packAll(transB)
	}
	g.do()
	gemms.put(g)
	scratch.put(packed)
}

// packAll makes the products of a batch read packed operands, and returns their memory.
func (g *gemm) packAll(transB bool) []float32 {
	p := packers.get()
	*p = packer{b: g.b, k: g.k, n: g.n, ldb: g.n, alpha: 1, trans: transB, stride: g.strideB}
	if transB {
		p.ldb = g.k
	}
	size, matrices := PackB32Size(g.k, g.n), 1
	if g.strideB != 0 {
		matrices, g.strideB = g.batch, size
	}
	g.b = scratch.get(matrices * size)
	p.dst = g.b
	p.do(matrices)
	packers.put(p)
	return g.b
}
