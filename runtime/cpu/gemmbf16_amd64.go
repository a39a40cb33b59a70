//go:build !purego

package cpu

import (
	"unsafe"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Products of bfloat16 by AMX tiles. The sums are float32; denormals count as zero.

// hasAMXBF16 reports whether the CPU multiplies tiles of bfloat16, and the operating system saves tiles for this
// process.
var hasAMXBF16 = has(needs.AMXBF16) && allowTiles()

const (
	halfRows  = 2 * amxRows // of a group, which uses the tiles of b twice
	halfStep  = 32          // values of k in a tile
	halfTileB = halfStep * panel
)

// halfWorth reports whether tiles of bfloat16 are faster than float32 for a product of that size. Operands must be
// converted, and tiles that are less than half full are slow.
func halfWorth(m, k, n int) bool {
	return level == AVX512 && hasAMXBF16 && m >= amxRows && n >= amxRows && k >= halfStep && m*k*n >= 1<<19
}

// halfTile is the argument of a micro-kernel of 2 to 32 rows and some panels. Assembly uses the offsets of its fields.
// With each step of 32 values of k, the rows of a and the panels of b continue behind all rows or the whole tile.
type halfTile struct {
	config       tileConfig
	a, b         *tensor.BF16
	c, c2        *float32 // of the upper and the lower half of the rows
	lower, stepA int      // bytes from the first row to the lower half, and of all rows of a step
	ldc          int      // in bytes
	steps        int
	skipB        int // bytes from the steps of a panel to those of the next one
	panels       int // they are side by side in c
	acc          int // 1: the sums begin with c, 0: with zero
}

// run is [halfTile.runGo].
func (t *halfTile) run() {
	if hasAMXBF16 {
		halfTileAMXBF16(t)
	} else { // only tests come here
		t.runGo()
	}
}

// runGo is
//
//	for p := range panels {
//		for i := range rows {
//			for j := range 32 {
//				sum := acc*c[i*ldc+p*32+j]
//				for l := range 32*steps {
//					sum += a[l/32*rows*32+i*32+l%32] * b[p][l/32*1024+j/16*512+l%32/2*32+j%16*2+l%2]
//				}
//				c[i*ldc+p*32+j] = sum
//			}
//		}
//	}
func (t *halfTile) runGo() {
	rows := t.stepA / (2 * halfStep)
	a := unsafe.Slice(t.a, t.steps*rows*halfStep)
	pitch := t.steps*halfTileB + t.skipB/2
	b := unsafe.Slice(t.b, (t.panels-1)*pitch+t.steps*halfTileB)
	c := unsafe.Slice(t.c, (rows-1)*t.ldc/4+t.panels*panel)
	for p := range t.panels {
		for i := range rows {
			for j := range panel {
				at := i*t.ldc/4 + p*panel + j
				sum := float32(0)
				if t.acc != 0 {
					sum = c[at]
				}
				for l := range t.steps * halfStep {
					sum += a[l/halfStep*rows*halfStep+i*halfStep+l%halfStep].Float32() * b[p*pitch+halfIndex(l, j)].Float32()
				}
				c[at] = sum
			}
		}
	}
}

// halfIndex returns the place of row l and column j in a panel.
func halfIndex(l, j int) int {
	return l/halfStep*halfTileB + j/amxQuads*(halfTileB/2) + l%halfStep/2*halfStep + j%amxQuads*2 + l%2
}

// halfDepth returns the number of rows of a panel, which are filled with zeros.
func halfDepth(k int) int { return (k + halfStep - 1) / halfStep * halfStep }

// halfPacker is the task of packing a k×n matrix as the right operand of tiles. A turn packs a panel.
type halfPacker struct {
	dst  []tensor.BF16
	b    []float32
	k, n int
}

var halfPackers freelist[halfPacker]

func packHalves(dst []tensor.BF16, b []float32, k, n int) {
	p := halfPackers.get()
	*p = halfPacker{dst, b, k, n}
	parallel((n+panel-1)/panel, k*n/8, p)
	*p = halfPacker{}
	halfPackers.put(p)
}

func (p *halfPacker) run(i int) {
	depth := halfDepth(p.k)
	dst, b, ldb := p.dst[i*depth*panel:][:depth*panel], p.b[i*panel:], p.n
	var own []float32
	if cols := p.n - i*panel; cols < panel || p.k%2 != 0 {
		own = scratch.get((p.k + 1) * panel)
		packPanelGo(own, b, p.k, min(cols, panel), ldb)
		clear(own[p.k*panel:])
		b, ldb = own, panel
	}
	if p.k < depth {
		clear(dst[(depth-halfStep)*panel:])
	}
	pairsBF16AVX512((*uint16)(&dst[0]), &b[0], (p.k+1)/2, 4*ldb)
	scratch.put(own)
}

// halfGemm is the task of a product of m×k and k×n. A turn computes some groups of rows and some panels.
type halfGemm struct {
	dst, a  []float32
	b       []tensor.BF16 // packed
	m, k, n int
	acc     bool // the product is added to dst

	groups, panels         int
	rowBlocks, panelBlocks int
}

var halfGemms freelist[halfGemm]

// What stays in the caches: rows and a panel of b in L1, panels of b and the sums in L2.
const (
	halfBlockK      = 8 // steps
	halfBlockGroups = 8
	halfBlockPanels = 32
)

// gemmHalves is dst = op(a)·op(b), or += with acc, of operands that are rounded to bfloat16.
func gemmHalves(dst, a, b []float32, m, k, n int, transA, transB, acc bool) {
	var ownA, ownB []float32
	if transA {
		ownA = scratch.get(m * k)
		transposeAll(ownA, a, k, m)
		a = ownA
	}
	if transB {
		ownB = scratch.get(k * n)
		transposeAll(ownB, b, n, k)
		b = ownB
	}
	panels := (n + panel - 1) / panel
	buf := scratch.get(panels * halfDepth(k) * panel / 2)
	packed := halvesOf(buf)
	packHalves(packed, b, k, n)
	g := halfGemms.get()
	*g = halfGemm{dst: dst, a: a, b: packed, m: m, k: k, n: n, acc: acc}
	g.do()
	*g = halfGemm{}
	halfGemms.put(g)
	scratch.put(buf)
	scratch.put(ownA)
	scratch.put(ownB)
}

// halvesOf returns the memory of x as bfloat16.
func halvesOf(x []float32) []tensor.BF16 {
	return unsafe.Slice((*tensor.BF16)(unsafe.Pointer(unsafe.SliceData(x))), 2*len(x))
}

// do divides the product into turns and runs them. The sums do not depend on the division.
func (g *halfGemm) do() {
	const speed, each, least = 800, 4, 3000 // multiply-adds of a nanosecond, turns of a thread, nanoseconds of a turn
	g.groups, g.panels = (g.m+halfRows-1)/halfRows, (g.n+panel-1)/panel
	cost := g.m*g.n*g.k/speed + g.m*(g.n+g.k)/8
	turns := 1
	if threads := Threads(); threads > 1 {
		turns = max(1, min(cost/least, each*threads))
	}
	g.rowBlocks = min(g.groups, turns)
	g.panelBlocks = min(g.panels, (turns+g.rowBlocks-1)/g.rowBlocks)
	parallel(g.rowBlocks*g.panelBlocks, cost, g)
}

func (g *halfGemm) run(i int) {
	bn, bm := i%g.panelBlocks, i/g.panelBlocks
	g0, g1 := bm*g.groups/g.rowBlocks, (bm+1)*g.groups/g.rowBlocks
	p0, p1 := bn*g.panels/g.panelBlocks, (bn+1)*g.panels/g.panelBlocks
	own := scratch.get((halfBlockGroups*halfRows*halfBlockK*halfStep)/2 + halfRows*panel)
	for ; g0 < g1; g0 += halfBlockGroups {
		for p := p0; p < p1; p += halfBlockPanels {
			g.block(own, g0, min(g0+halfBlockGroups, g1), p, min(p+halfBlockPanels, p1))
		}
	}
	scratch.put(own)
}

// block computes groups g0 ≤ g < g1 of panels p0 ≤ p < p1.
func (g *halfGemm) block(own []float32, g0, g1, p0, p1 int) {
	sums, a := own[:halfRows*panel], halvesOf(own[halfRows*panel:])
	steps, first := halfDepth(g.k)/halfStep, g.row(g0)
	parts := (steps + halfBlockK - 1) / halfBlockK
	for part := range parts {
		s0, s1 := part*steps/parts, (part+1)*steps/parts
		for i := g0; i < g1; i++ {
			g.packRows(a[(g.row(i)-first)*(s1-s0)*halfStep:], i, s0, s1)
		}
		for i := g0; i < g1; i++ {
			t := g.tile(i, s0, s1, p0)
			t.a = &a[(g.row(i)-first)*(s1-s0)*halfStep]
			g.columns(&t, sums, i, p0, p1)
		}
	}
}

// row returns the first row of group i.
func (g *halfGemm) row(i int) int { return i * g.m / g.groups }

// packRows converts steps s0 ≤ s < s1 of the rows of group i.
func (g *halfGemm) packRows(dst []tensor.BF16, i, s0, s1 int) {
	r0, r1 := g.row(i), g.row(i+1)
	whole, step := min(s1, g.k/halfStep)-s0, (r1-r0)*halfStep
	if whole < s1-s0 {
		clear(dst[whole*step:][:step])
	}
	for r := r0; r < r1; r++ {
		x, own := g.a[r*g.k+s0*halfStep:], dst[(r-r0)*halfStep:]
		if whole > 0 {
			_ = x[whole*halfStep-1]
			rowBF16AVX512((*uint16)(&own[0]), &x[0], whole, 2*step)
		}
		if whole < s1-s0 {
			toBF16(own[whole*step:][:g.k%halfStep], x[whole*halfStep:])
		}
	}
}

// tile returns the micro-kernel of group i for steps s0 to s1-1 and panels from p on, without a and c.
func (g *halfGemm) tile(i, s0, s1, p int) halfTile {
	rows := g.row(i+1) - g.row(i)
	upper, depth := (rows+1)/2, halfDepth(g.k)
	t := halfTile{
		b: &g.b[p*depth*panel+s0*halfTileB], lower: 2 * upper * halfStep, stepA: 2 * rows * halfStep, steps: s1 - s0,
		skipB: 2 * (depth*panel - (s1-s0)*halfTileB),
	}
	t.config.shape(upper, rows-upper, amxQuads)
	if g.acc || s0 > 0 {
		t.acc = 1
	}
	return t
}

// columns runs a tile for panels p0 ≤ p < p1. The sums of a panel that is not full need memory of their own.
func (g *halfGemm) columns(t *halfTile, sums []float32, i, p0, p1 int) {
	r, upper := g.row(i), t.lower/(2*halfStep)
	if t.panels = min(p1, g.n/panel) - p0; t.panels > 0 {
		c := g.dst[r*g.n+p0*panel:]
		t.c, t.c2, t.ldc = &c[0], &c[upper*g.n], 4*g.n
		t.run()
	}
	if cols := g.n % panel; cols > 0 && p1 == g.panels {
		t.b = (*tensor.BF16)(unsafe.Add(unsafe.Pointer(t.b), t.panels*(2*t.steps*halfTileB+t.skipB)))
		t.c, t.c2, t.ldc, t.panels = &sums[0], &sums[upper*panel], 4*panel, 1
		c := g.dst[r*g.n+g.n-cols:]
		rows := g.row(i+1) - r
		if t.acc != 0 {
			copyRows(sums, c, cols, rows, panel, g.n)
		}
		t.run()
		copyRows(c, sums, cols, rows, g.n, panel)
	}
}

//go:noescape
func halfTileAMXBF16(t *halfTile)

//go:noescape
func rowBF16AVX512(dst *uint16, x *float32, steps, ldd int)

//go:noescape
func pairsBF16AVX512(dst *uint16, b *float32, pairs, ldb int)
