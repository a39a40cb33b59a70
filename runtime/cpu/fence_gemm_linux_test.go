package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// exactProduct is a product of matrices, which may be transposed.
func exactProduct(dst, a, b []float64, m, k, n int, transA, transB bool) {
	if transA {
		wide := make([]float64, m*k)
		for i := range wide {
			wide[i] = a[i%k*m+i/k]
		}
		a = wide
	}
	copy(dst, product64(a, b, m, k, n, transB))
}

// exactOut adds a bias and another summand to sums, which may be nil, and applies an activation.
func exactOut(dst, bias, res []float64, act Act) {
	for i := range dst {
		if bias != nil {
			dst[i] += bias[i%len(bias)]
		}
		if res != nil {
			dst[i] += res[i]
		}
		dst[i] = activations[act](dst[i])
	}
}

// productCase is the operands of a product, and its sums.
type productCase struct {
	m, k, n         int
	a, b, bias, res []float32
	sums            []float64
	tol             float64
}

func newProductCase(rng *rand.Rand, m, k, n int) *productCase {
	c := &productCase{m: m, k: k, n: n, a: randoms(rng, m*k), b: randoms(rng, k*n), bias: randoms(rng, n), res: randoms(rng, m*n), tol: 1e-6 * float64(k+10)}
	c.sums = product64(widen64(c.a), widen64(c.b), m, k, n, false)
	return c
}

func (c *productCase) shape() MatMulShape { return MatMulShape{M: c.m, K: c.k, N: c.n} }

// packed runs products with a packed operand.
func (c *productCase) packed(f *fence, rng *rand.Rand) {
	packed := slicesOf(PackB32Size(c.k, c.n), float32(nan))
	turned := transposed(c.b, c.n, c.k)
	f.run("PackB32", 0, PackB32, atPortable(PackB32), packed, c.b, c.k, c.n)
	f.run("PackB32T", 0, PackB32T, atPortable(PackB32T), packed, turned, c.k, c.n)
	PackB32(packed, c.b, c.k, c.n)
	act := acts[rng.IntN(len(acts))]
	exact := func(dst, _, _, bias, res []float64, _ MatMulShape, act Act) {
		copy(dst, c.sums)
		exactOut(dst, bias, res, act)
	}
	bias, res := [][]float32{nil, c.bias}[rng.IntN(2)], [][]float32{nil, c.res}[rng.IntN(2)]
	f.run("MatMulPackedAdd32", c.tol, MatMulPackedAdd32, exact, unwritten(c.m*c.n), c.a, packed, bias, res, c.shape(), act)
	f16, bf16 := make([]tensor.F16, len(packed)), make([]tensor.BF16, len(packed))
	toSmall(f16, packed, true, 0)
	toSmall(bf16, packed, true, 0)
	// The error of weights in 16 bits is that of one of them for each product.
	f.run("MatMulPackedAddStored F16", c.tol+1e-3*float64(c.k), MatMulPackedAddStored[float32, tensor.F16], func(dst, _ []float64, _ []tensor.F16, bias, res []float64, s MatMulShape, act Act) {
		exact(dst, nil, nil, bias, res, s, act)
	}, unwritten(c.m*c.n), c.a, f16, bias, res, c.shape(), act)
	a16 := make([]tensor.BF16, len(c.a))
	toSmall(a16, c.a, true, 0)
	f.run("MatMulPackedAddStored BF16", c.tol+1e-2*float64(c.k), MatMulPackedAddStored[float32, tensor.BF16], func(dst, _ []float64, _ []tensor.BF16, bias, res []float64, s MatMulShape, act Act) {
		exact(dst, nil, nil, bias, res, s, act)
	}, unwritten(c.m*c.n), c.a, bf16, bias, res, c.shape(), act)
	f.run("MatMulPackedAddStored BF16 BF16", c.tol+2e-2*float64(c.k), MatMulPackedAddStored[tensor.BF16, tensor.BF16], func(dst []float64, _, _ []tensor.BF16, bias, res []float64, s MatMulShape, act Act) {
		exact(dst, nil, nil, bias, res, s, act)
	}, unwritten(c.m*c.n), a16, bf16, bias, res, c.shape(), act)
}

// plain runs products whose operands lie as they are.
func (c *productCase) plain(f *fence, rng *rand.Rand) {
	aT, bT := transposed(c.a, c.m, c.k), transposed(c.b, c.k, c.n)
	a16, b16 := make([]tensor.F16, c.m*c.k), make([]tensor.BF16, c.k*c.n)
	for trans := range 4 {
		transA, transB := trans&1 != 0, trans&2 != 0
		a, b := c.a, c.b
		if transA {
			a = aT
		}
		if transB {
			b = bT
		}
		s := GemmShape{M: c.m, K: c.k, N: c.n, TransA: transA, TransB: transB, Alpha: []float64{1, 0.5}[rng.IntN(2)], Beta: []float64{0, 1, 0.5}[rng.IntN(3)]}
		f.run("Gemm32", c.tol, Gemm32, func(dst, _, _ []float64, s GemmShape) {
			for i, v := range c.sums {
				dst[i] = s.Alpha*v + s.Beta*dst[i]
			}
		}, c.res, a, b, s)
		toSmall(a16, a, true, 0)
		toSmall(b16, b, true, 0)
		f.run("GemmStored float32 BF16", c.tol+1e-2*float64(c.k), GemmStored[float32, tensor.BF16], storedSums[float64, tensor.BF16](c), unwritten(c.m*c.n), a, b16, c.bias, c.shape(), transA, transB)
		f.run("GemmStored F16 float32", c.tol+1e-3*float64(c.k), GemmStored[tensor.F16, float32], storedSums[tensor.F16, float64](c), unwritten(c.m*c.n), a16, b, c.bias, c.shape(), transA, transB)
		f.run("GemmStored F16 BF16", c.tol+1e-2*float64(c.k), GemmStored[tensor.F16, tensor.BF16], storedSums[tensor.F16, tensor.BF16](c), unwritten(c.m*c.n), a16, b16, c.bias, c.shape(), transA, transB)
	}
}

// storedSums are the sums of a case, with its bias.
func storedSums[A, B any](c *productCase) any {
	return func(dst []float64, _ []A, _ []B, bias []float64, _ MatMulShape, _, _ bool) {
		copy(dst, c.sums)
		exactOut(dst, bias, nil, ActNone)
	}
}

// Products stay within their operands: packed ones, those stored in 16 bits, and those of few rows or columns.
func TestFenceProducts(t *testing.T) {
	fenced(t, func(f *fence) {
		rng := rand.New(rand.NewPCG(1, 2))
		allShapes(rng, func(m, k, n int) {
			c := newProductCase(rng, m, k, n)
			c.packed(f, rng)
			c.plain(f, rng)
		})
		for m := 1; m <= 16; m++ { // each number of rows and of columns in a panel
			for n := 1; n <= 33; n++ {
				c := newProductCase(rng, m, 1+rng.IntN(7), n)
				c.packed(f, rng)
				if n%8 < 2 || n < 4 {
					c.plain(f, rng)
				}
			}
		}
	})
}

// Products with weights that no cache holds, which kernels fetch ahead, stay within their operands.
func TestFenceLargeProducts(t *testing.T) {
	if testing.Short() {
		t.Skip("large products")
	}
	const k, n = 1030, 1057
	rng := rand.New(rand.NewPCG(3, 4))
	all := newProductCase(rng, 7, k, n)
	fenced(t, func(f *fence) {
		for _, m := range []int{1, 2, 3, 7} {
			c := *all
			c.m, c.a, c.res, c.sums = m, c.a[:m*k], c.res[:m*n], c.sums[:m*n]
			c.packed(f, rng)
		}
	})
}

// Products of many matrices stay within their operands.
func TestFenceBatches(t *testing.T) {
	fenced(t, func(f *fence) {
		rng := rand.New(rand.NewPCG(5, 6))
		for i := range 60 {
			batch, s := 1+rng.IntN(4), MatMulShape{M: 1 + rng.IntN(20), K: rng.IntN(20), N: 1 + i}
			strideA, strideB := s.M*s.K, s.K*s.N*rng.IntN(2)
			a, b := randoms(rng, batch*s.M*s.K), randoms(rng, max(s.K*s.N, batch*strideB))
			for form, kernel := range []any{BatchMatMul32, BatchMatMulT32, BatchMatMulTA32} {
				f.run(fmt.Sprint("BatchMatMul", []string{"32", "T32", "TA32"}[form]), 1e-5, kernel, func(dst, a, b []float64, batch int, s MatMulShape, strideA, strideB int) {
					for e := range batch {
						exactProduct(row(dst, e, s.M*s.N), a[e*strideA:], b[e*strideB:], s.M, s.K, s.N, form == 2, form == 1)
					}
				}, unwritten(batch*s.M*s.N), a, b, batch, s, strideA, strideB)
			}
		}
	})
}

// Products with weights of few bits stay within their operands.
func TestFenceNBits(t *testing.T) {
	fenced(t, func(f *fence) {
		rng := rand.New(rand.NewPCG(7, 8))
		for i := range 200 {
			s := NBitsShape{M: 1 + rng.IntN(6), K: 1 + rng.IntN(200), N: 1 + rng.IntN(80), Block: []int{16, 32, 64, 128}[rng.IntN(4)], Bits: 4 << (i % 2)}
			if i%20 == 0 {
				s.M, s.K = 40+rng.IntN(30), 500+rng.IntN(30)
			}
			zeros := i%4 > 1
			c := newNBitsCase(rng, s.K, s.N, s.Block, s.Bits, zeros)
			blocks := (s.K + s.Block - 1) / s.Block
			w, scales, zero := c.packed(t, s.K, s.N, s.Block, zeros)
			f.run("PackNBits", 0, PackNBits, atPortable(PackNBits), make([]byte, len(w)), c.w, blocks*s.Block, s.N, s.Bits)
			if zeros {
				f.run("PackNBitsZeros", 0, PackNBitsZeros, atPortable(PackNBitsZeros), make([]float32, len(zero)), c.packedZeros, blocks, s.N, s.Bits)
			}
			x, bias := randoms(rng, s.M*s.K), randoms(rng, s.N)
			f.run("MatMulNBits", 2e-5*float64(s.K+4), MatMulNBits, func(dst, x []float64, _ []byte, _, _, bias []float64, s NBitsShape) {
				exactProduct(dst, x, c.exact, s.M, s.K, s.N, false, true)
				exactOut(dst, bias, nil, ActNone)
			}, unwritten(s.M*s.N), x, w, scales, zero, bias, s)
			f.run("MatMulNBitsInt8", 2e-5*float64(s.K+4), MatMulNBitsInt8, func(dst, x []float64, _ []byte, _, _, bias []float64, s NBitsShape) {
				var rounded []float64
				for i := range s.M {
					rounded = append(rounded, quantizedRows(narrow32(row(x, i, s.K)), s.K, s.Block)...)
				}
				exactProduct(dst, rounded, c.exact, s.M, s.K, s.N, false, true)
				exactOut(dst, bias, nil, ActNone)
			}, unwritten(s.M*s.N), x, w, scales, zero, bias, s)
		}
	})
}

// exactInts is a product of bytes with zero points.
func exactInts[A, B int8 | uint8](dst []int32, a []A, b []B, azp []A, bzp []B, s MatMulBatch) {
	for i := range dst {
		r, c := i/s.N, i%s.N
		dst[i] = 0
		for l := range s.K {
			dst[i] += (int32(a[r*s.K+l]) - int32(zeroPoint(azp, r))) * (int32(b[l*s.N+c]) - int32(zeroPoint(bzp, c)))
		}
	}
}

// Products of bytes stay within their operands.
func TestFenceByteProducts(t *testing.T) { fenced(t, fenceByteProducts) }

func fenceByteProducts(f *fence) {
	rng := rand.New(rand.NewPCG(9, 10))
	fenceByteProduct[int8](f, rng, 70, 300, 70)
	shapes(rng, func(m, k, n int) {
		if m*k*n > 1<<19 {
			return
		}
		fenceByteProduct[int8](f, rng, m, k, n)
		fenceByteProduct[uint8](f, rng, m, k, n)
	})
	for m := range 34 {
		fenceByteProduct[int8](f, rng, m, 1+rng.IntN(70), 1+rng.IntN(16))
		fenceByteProduct[uint8](f, rng, 1+m%6, 1+m, 9+m%8)
		fenceByteProduct[uint8](f, rng, m, 1+rng.IntN(70), 1+rng.IntN(70))
	}
}

func fenceByteProduct[A int8 | uint8](f *fence, rng *rand.Rand, m, k, n int) {
	a, b, u := randomInt8s[A](rng, m*k), randomInt8s[int8](rng, k*n), randomInt8s[uint8](rng, k*n)
	for _, zeros := range [][2]int{{0, 0}, {1, 1}, {m, n}} {
		azp, bzp, uzp := randomInt8s[A](rng, zeros[0]), randomInt8s[int8](rng, zeros[1]), randomInt8s[uint8](rng, zeros[1])
		s := MatMulBatch{M: m, K: k, N: n}
		f.run("MatMulInteger int8", 0, MatMulInteger[A, int8], exactInts[A, int8], make([]int32, m*n), a, b, azp, bzp, s)
		f.run("MatMulInteger uint8", 0, MatMulInteger[A, uint8], exactInts[A, uint8], make([]int32, m*n), a, u, azp, uzp, s)
		packed := make([]int8, PackB8Size(k, n))
		f.run("PackB8", 0, PackB8, atPortable(PackB8), packed, b, k, n)
		PackB8(packed, b, k, n)
		f.run("MatMulIntegerPacked", 0, MatMulIntegerPacked[A], func(dst []int32, a []A, _ []int8, azp []A, bzp []int8, m, k, n int) {
			exactInts(dst, a, b, azp, bzp, s)
		}, make([]int32, m*n), a, packed, azp, bzp, m, k, n)
		if m > 0 && zeros[0] == 1 {
			q := Requant{Add: make([]int32, n), Mult: positive(rng, n), Shift: make([]int32, n), Zero: 3, Relu: rng.IntN(2) == 0}
			for j := range n {
				q.Add[j], q.Shift[j], q.Mult[j] = int32(rng.IntN(1000)), int32(rng.IntN(256)-128), q.Mult[j]/500
			}
			for _, q := range []Requant{q, {Add: q.Add, Mult: q.Mult, Zero: 3}} {
				f.run("QMatMul uint8", 0, QMatMul[uint8, A], atPortable(QMatMul[uint8, A]), make([]uint8, m*n), a, packed, q, s.shape())
				f.run("QMatMul float32", 0, QMatMul[float32, A], atPortable(QMatMul[float32, A]), unwritten(m*n), a, packed, q, s.shape())
				q.Mult, q.Zero, q.Relu = nil, 0, false
				f.run("QMatMul int32", 0, QMatMul[int32, A], func(dst []int32, a []A, _ []int8, q Requant, s MatMulShape) {
					zero := -int(flipSigned[A]())
					for i := range dst {
						r, c := i/s.N, i%s.N
						dst[i] = q.Add[c]
						for l := range s.K {
							w := int32(b[l*s.N+c])
							if q.Shift != nil {
								w -= q.Shift[c]
							}
							dst[i] += (int32(a[r*s.K+l]) - int32(zero)) * w
						}
					}
				}, make([]int32, m*n), a, packed, q, s.shape())
			}
		}
	}
}

// shape is the shape of each product.
func (s MatMulBatch) shape() MatMulShape { return MatMulShape{M: s.M, K: s.K, N: s.N} }
