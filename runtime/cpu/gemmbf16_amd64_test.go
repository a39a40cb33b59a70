//go:build !purego

package cpu

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// The micro-kernels do what the comment of halvesGo says, and access no other memory: as [TestByteTileAMX].
func TestHalfOutputsAMX(t *testing.T) {
	needsSources(t)
	src, err := os.ReadFile("amx_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(7, 9))
	for _, s := range []struct {
		rows, steps, panels, groups int
		add, bias                   bool // sums begin with the output, or with a row
	}{{2, 1, 1, 1, false, false}, {32, 6, 2, 2, true, false}, {17, 12, 4, 2, false, true}, {31, 1, 1, 3, true, false}, {32, 40, 2, 1, false, false}, {32, 3, 2, 3, false, true}} {
		for _, kernel := range []string{"halfOutputsAMXBF16", "halfFarOutputsAMXBF16"} {
			x, c := randomHalves(rng, s.rows, s.steps, s.panels, s.groups)
			want, bias := slices.Grow(slices.Clone(c), len(c)), make([]float32, 2*s.panels*panel)[:s.panels*panel]
			for j := range bias {
				bias[j] = float32(rng.IntN(9))
			}
			run := func(c []float32, f func(x *outputTile)) {
				y := x.outputTile
				y.dst = unsafe.Pointer(&c[0])
				if s.add {
					y.setFrom((*float32)(y.dst), x.ldd/4)
				}
				if s.bias {
					y.setFrom(&bias[0], 0)
				}
				f(&y)
			}
			run(want, (*outputTile).halvesGo)
			run(c, func(y *outputTile) {
				e := &tileEmulator{t: t}
				e.memory = []memory{memoryOf(unsafe.Slice(y, 1)), memoryOf(x.rowsA), memoryOf(x.panelsB), memoryOf(x.memory), memoryOf(c), memoryOf(bias)}
				e.run(parseTiles(t, string(src), kernel), e.memory[0].base)
			})
			if !slices.Equal(c, want) {
				t.Errorf("%s, %+v: got %v, want %v", kernel, s, c[:8], want[:8])
			}
		}
	}
}

// halvesTest is a product of random operands, and their memory.
type halvesTest struct {
	outputTile
	rowsA, panelsB []tensor.BF16
	memory         []int32
}

// randomHalves returns a product without an output, and memory for the output, which begins with a line of the cache. Behind both
// is memory of the same objects, to which micro-kernels move their addresses: as [TestByteOutputsAMX].
func randomHalves(rng *rand.Rand, rows, steps, panels, groups int) (x *halvesTest, c []float32) {
	lda, upper, ldc := steps*halfStep+5, (rows+1)/2, panels*panel+16
	x = &halvesTest{
		rowsA: halfDigits(rng, 2*groups*rows*lda)[:groups*rows*lda], panelsB: halfDigits(rng, panels*steps*halfTileB), memory: make([]int32, maxByteSums),
	}
	x.outputTile = outputTile{
		a: (*byte)(unsafe.Pointer(&x.rowsA[0])), a2: (*byte)(unsafe.Pointer(&x.rowsA[upper*lda])), b: (*byte)(unsafe.Pointer(&x.panelsB[0])),
		sums: alignedSums(x.memory), lower: 4 * panel * upper, lda: 2 * lda, stepA: 2 * halfStep, blocks: steps,
		groups: groups, panels: panels, rows: rows, each: (rows + steps - 1) / steps, ldd: 4 * ldc, next: 4 * panel, groupA: 2 * rows * lda,
	}
	x.groupDst = rows*x.ldd - panels*x.next
	x.config.shape(upper, rows-upper, amxQuads)
	c = tensor.View[float32](tensor.Aligned(8*groups*rows*ldc), 0, groups*rows*ldc)
	for i := range c {
		c[i] = float32(rng.IntN(9))
	}
	return x, c
}

// halfDigits returns numbers whose products and sums are exact.
func halfDigits(rng *rand.Rand, n int) []tensor.BF16 {
	x := make([]tensor.BF16, n)
	for i := range x {
		x[i] = tensor.ToBFloat16(float32(rng.IntN(15) - 7))
	}
	return x
}

// Products of all kinds of sizes are exact if their terms are, for operands in float32 and in bfloat16. Without tiles, the
// micro-kernel in Go computes them.
func TestGemmHalves(t *testing.T) {
	if bestLevel() != AVX512 {
		t.Skip("operands are converted by AVX-512")
	}
	defer SetLevel(SetLevel(AVX512))
	rng := rand.New(rand.NewPCG(1, 2))
	for _, s := range [][3]int{{2, 1, 1}, {16, 32, 32}, {33, 65, 31}, {40, 257, 100}, {70, 300, 64}, {17, 31, 1030}, {290, 34, 40}, {70, 2100, 65}, {100, 4224, 72}, {530, 96, 1024}} {
		m, k, n := s[0], s[1], s[2]
		start := make([]float32, m*n)
		for i := range start {
			start[i] = float32(rng.IntN(15) - 7)
		}
		halfA, halfB := halfDigits(rng, m*k), halfDigits(rng, k*n)
		a, b := make([]float32, m*k), make([]float32, k*n)
		CastFromSmall(a, halfA)
		CastFromSmall(b, halfB)
		for i, kind := range [][3]bool{{}, {true}, {false, true, true}, {true, true}} {
			t.Run(fmt.Sprint(s, kind), func(t *testing.T) {
				storedA, storedB, acc := kind[0], kind[1], kind[2]
				SetThreads(1 + i)
				defer SetThreads(0)
				beta := 0.0
				if acc {
					beta = 1
				}
				want := slices.Clone(start)
				Gemm32(want, a, b, GemmShape{M: m, K: k, N: n, Alpha: 1, Beta: beta})
				x, y := halfOperand{wide: a}, halfOperand{wide: b}
				if storedA {
					x = halfOperand{half: halfA}
				}
				if storedB {
					y = halfOperand{half: halfB}
				}
				got, guards := guarded(m * n)
				copy(got, start)
				gemmHalves(got, x, y, m, k, n, acc)
				guards(t)
				if !slices.Equal(got, want) {
					t.Errorf("got %v, want %v", got[:min(m*n, 8)], want[:min(m*n, 8)])
				}
			})
		}
	}
}

// Products with a packed matrix in bfloat16 are exact if their terms are, with what is added to them.
func TestTimesPanels(t *testing.T) {
	if bestLevel() != AVX512 {
		t.Skip("operands are ordered by AVX-512")
	}
	defer SetLevel(SetLevel(AVX512))
	defer SetThreads(0)
	rng := rand.New(rand.NewPCG(3, 9))
	for i, s := range [][3]int{{2, 1, 1}, {16, 32, 32}, {33, 65, 31}, {40, 257, 100}, {17, 31, 1030}, {70, 300, 64}, {290, 64, 40}, {70, 2112, 65}, {530, 96, 1056}} {
		m, k, n := s[0], s[1], s[2]
		a, b, packed := halfDigits(rng, m*k), randoms(rng, k*n), make([]float32, PackB32Size(k, n))
		for i := range b {
			b[i] = float32(rng.IntN(15) - 7)
		}
		PackB32(packed, b, k, n)
		panels, wide := make([]tensor.BF16, len(packed)), make([]float32, m*k)
		CastToSmall(panels, packed, true, 0)
		CastFromSmall(wide, a)
		for _, threads := range []int{1, 3} {
			SetThreads(threads)
			for c := range 4 {
				var bias, res []float32
				if c&1 != 0 {
					bias = b[:n]
				}
				if c&2 != 0 {
					res = make([]float32, m*n)
					for i := range res {
						res[i] = float32(rng.IntN(15) - 7)
					}
				}
				act := []Act{ActNone, ActRelu}[i%2]
				want := make([]float32, m*n)
				MatMulPackedAdd32(want, wide, packed, bias, res, MatMulShape{M: m, K: k, N: n}, act)
				got, guards := guarded(m * n)
				timesPanels(got, a, panels, bias, res, MatMulShape{M: m, K: k, N: n}, act)
				guards(t)
				if !slices.Equal(got, want) {
					t.Errorf("%v, %d threads, bias %v, residual %v: got %v, want %v", s, threads, bias != nil, res != nil, got[:min(m*n, 8)], want[:min(m*n, 8)])
				}
			}
		}
	}
}

// Operands of tiles are m×n matrices as they are, or transposed.
func TestHalfOperandOf(t *testing.T) {
	const m, n = 3, 5
	half := halfDigits(rand.New(rand.NewPCG(9, 9)), m*n)
	wide := make([]float32, m*n)
	CastFromSmall(wide, half)
	for _, trans := range []bool{false, true} {
		stored, ownStored := halfOperandOf(half, m, n, trans)
		plain, ownPlain := halfOperandOf(wide, m, n, trans)
		for i := range m {
			for j := range n {
				at := i*n + j
				if trans {
					at = j*m + i
				}
				got := plain.wide[at]
				if got != wide[i*n+j] {
					t.Errorf("float32, transposed %v: element %d,%d is %v, want %v", trans, i, j, got, wide[i*n+j])
				}
				if stored.half != nil {
					got = stored.half[at].Float32()
				} else {
					got = stored.wide[at]
				}
				if got != wide[i*n+j] {
					t.Errorf("bfloat16, transposed %v: element %d,%d is %v, want %v", trans, i, j, got, wide[i*n+j])
				}
			}
		}
		scratch.put(ownStored)
		scratch.put(ownPlain)
	}
}

// Groups of rows differ by one row at most, and cover all rows.
func TestGroupsOfHalves(t *testing.T) {
	for m := 2; m < 300; m++ {
		g := halfGemm{m: m, groups: (m + halfRows - 1) / halfRows}
		if g.row(0) != 0 || g.row(g.groups) != m {
			t.Fatalf("%d rows: groups cover rows %d to %d", m, g.row(0), g.row(g.groups))
		}
		for i := 0; i < g.groups; {
			n := g.alike(i, g.groups)
			for e := i; e < i+n; e++ {
				rows := g.row(e+1) - g.row(e)
				if rows != g.row(i+1)-g.row(i) || rows < 2 || rows > halfRows {
					t.Fatalf("%d rows: group %d of a run from %d on has %d rows", m, e, i, rows)
				}
			}
			i += n
		}
	}
}

// Operands of tiles are rounded to nearest even.
func TestHalvesAreRounded(t *testing.T) {
	if bestLevel() != AVX512 {
		t.Skip("operands are converted by AVX-512")
	}
	const m, k, n = 3, 64, 64
	rng := rand.New(rand.NewPCG(3, 4))
	a, b := randoms(rng, m*k), randoms(rng, k*n)
	g := halfGemm{a: halfOperand{wide: a}, m: m, k: k, n: n, groups: 1, steps: k / halfStep}
	rows := make([]tensor.BF16, m*k)
	g.packRows(rows, 0)
	packed := make([]tensor.BF16, k*n)
	packHalves(packed, halfOperand{wide: b}, k, n)
	for l := range k {
		for i := range m {
			if got, want := rows[l/halfStep*m*halfStep+i*halfStep+l%halfStep], tensor.ToBFloat16(a[i*k+l]); got != want {
				t.Errorf("row %d, value %d: got %#x, want %#x", i, l, got, want)
			}
		}
		for j := range n {
			if got, want := packed[j/panel*k*panel+halfIndex(l, j%panel)], tensor.ToBFloat16(b[l*n+j]); got != want {
				t.Errorf("row %d, column %d: got %#x, want %#x", l, j, got, want)
			}
		}
	}
}

// A product with an operand in bfloat16 is as near as its comment promises, whether tiles compute it or not.
func TestGemmStoredInHalves(t *testing.T) {
	const m, k, n = 130, 200, 70
	rng := rand.New(rand.NewPCG(5, 6))
	a, b := randoms(rng, m*k), randoms(rng, k*n)
	half := make([]tensor.BF16, m*k)
	CastToSmall(half, a, true, 0)
	CastFromSmall(a, half)
	for _, trans := range [][2]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
		want, bound := product(a, b, m, k, n, trans[0], trans[1])
		got := make([]float32, m*n)
		GemmStored(got, half, b, nil, MatMulShape{M: m, K: k, N: n}, trans[0], trans[1])
		for i := range got {
			if diff := float64(got[i]) - want[i]; max(diff, -diff) > bound[i]*(1+(1<<16)/k) { // 2⁻⁸ in addition to k·2⁻²⁴
				t.Fatalf("%v: element %d: got %v, want %v", trans, i, got[i], want[i])
			}
		}
	}
}

// BenchmarkGemmHalves times products of operands in bfloat16 and float32: with a right operand that was packed before,
// with one in float32, with both stored in bfloat16, with a constant in bfloat16, and of float32.
func BenchmarkGemmHalves(b *testing.B) {
	if !hasAMXBF16 {
		b.Skip("the processor has no tiles of bfloat16")
	}
	defer SetThreads(0)
	for _, s := range [][3]int{{64, 768, 768}, {512, 512, 512}, {1024, 1024, 1024}, {2048, 2048, 2048}} {
		m, k, n := s[0], s[1], s[2]
		rng := rand.New(rand.NewPCG(1, 1))
		x, y, dst := randoms(rng, m*k), make([]float32, k*n), make([]float32, m*n)
		halfX, halfY := halfDigits(rng, m*k), halfDigits(rng, k*n)
		wide := halfOperand{wide: x}
		packed := make([]tensor.BF16, packedHalves(k, n))
		packHalves(packed, halfOperand{wide: y}, k, n)
		for _, threads := range []int{1, 4, 16} {
			SetThreads(threads)
			run := func(form string, f func()) {
				b.Run(fmt.Sprintf("%dx%dx%d/%d/%s", m, k, n, threads, form), func(b *testing.B) {
					best := time.Hour
					for b.Loop() {
						t := time.Now()
						f()
						best = min(best, time.Since(t))
					}
					flops := 2 * float64(m*k*n)
					b.ReportMetric(flops*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
					b.ReportMetric(flops/float64(best.Nanoseconds()), "best-GFLOP/s")
				})
			}
			run("packed", func() { timesHalves(dst, wide, packed, m, k, n, false) })
			run("raw", func() { gemmHalves(dst, wide, halfOperand{wide: y}, m, k, n, false) })
			run("stored", func() { gemmHalves(dst, halfOperand{half: halfX}, halfOperand{half: halfY}, m, k, n, false) })
			run("constant", func() { MatMulPackedAddStored(dst, halfX, halfY, nil, nil, MatMulShape{M: m, K: k, N: n}, ActNone) })
			run("float32", func() { Gemm32(dst, x, y, GemmShape{M: m, K: k, N: n, Alpha: 1}) })
		}
	}
}
