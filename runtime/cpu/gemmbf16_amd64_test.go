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

// The micro-kernel does what its comment says, and accesses no other memory: as [TestByteTileAMX].
func TestHalfTileAMX(t *testing.T) {
	needsSources(t)
	src, err := os.ReadFile("amx_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	program := parseTiles(t, string(src), "halfTileAMXBF16")
	rng := rand.New(rand.NewPCG(7, 8))
	for _, s := range []struct{ rows, steps, ahead, panels, groups, acc int }{
		{2, 1, 1, 1, 1, 0}, {32, 6, 6, 2, 1, 1}, {17, 12, 9, 4, 2, 0}, {31, 1, 1, 1, 3, 1}, {4, 3, 2, 2, 2, 1},
	} {
		a, b := halfDigits(rng, s.groups*s.rows*s.steps*halfStep), halfDigits(rng, s.panels*s.steps*halfTileB)
		ldc, upper := s.panels*panel+3, (s.rows+1)/2
		c := make([]float32, (s.groups*s.rows-1)*ldc+s.panels*panel)
		for i := range c {
			c[i] = float32(rng.IntN(9))
		}
		want := slices.Clone(c)
		x := halfTile{
			a: &a[0], b: &b[0], c: &want[0], c2: &want[upper*ldc], lower: 2 * upper * halfStep, stepA: 2 * s.rows * halfStep,
			ldc: 4 * ldc, groupC: 4 * s.rows * ldc, ahead: s.ahead, rest: s.steps - s.ahead, panels: s.panels, groups: s.groups, acc: s.acc,
		}
		x.config.shape(upper, s.rows-upper, amxQuads)
		x.runGo()
		x.c, x.c2 = &c[0], &c[upper*ldc]
		e := &tileEmulator{t: t}
		e.memory = []memory{memoryOf(unsafe.Slice(&x, 1)), memoryOf(a), memoryOf(b), memoryOf(c)}
		e.run(program, e.memory[0].base)
		if !slices.Equal(c, want) {
			t.Errorf("%+v: got %v, want %v", s, c[:8], want[:8])
		}
	}
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
	for _, s := range [][3]int{{2, 1, 1}, {16, 32, 32}, {33, 65, 31}, {40, 257, 100}, {70, 300, 64}, {17, 31, 1030}, {290, 34, 40}, {70, 2100, 65}, {100, 4200, 40}} {
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
// with one in float32, with both stored in bfloat16, and of float32.
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
			run("float32", func() { Gemm32(dst, x, y, GemmShape{M: m, K: k, N: n, Alpha: 1}) })
		}
	}
}
