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
	halfPart  = 8         // steps at most whose rows, panel and sums stay in the nearest cache
	halfChunk = 4         // panels of a call
	halfNear  = 512 << 10 // bytes of rows that stay in the second cache
)

// halfWorth reports whether tiles of bfloat16 are faster than float32 for a product of that size. Operands must be
// converted, and tiles that are less than half full are slow.
func halfWorth(m, k, n int) bool {
	return level == AVX512 && hasAMXBF16 && m >= amxRows && n >= amxRows && k >= halfStep && m*k*n >= 1<<19
}

// halfTile is the argument of a micro-kernel of 2 to 32 rows and some panels. Assembly uses the offsets of its fields.
// The values of k are divided into parts, and these into steps of 32. With each step, the rows of a continue behind all
// rows. The order of b is by parts, panels and steps.
type halfTile struct {
	config              tileConfig
	a, b                *tensor.BF16
	c, c2, part         *float32 // the upper and the lower half of the rows, and memory for the sums of parts
	lower, stepA, partA int      // bytes from the first row to the lower half, of all rows of a step, and of a part
	ldc                 int      // in bytes
	steps, parts        int      // steps of a part
	skipB               int      // bytes of other panels in each part
	panels              int      // they are side by side in c
	acc                 int      // 1: the sums begin with c, 0: with zero
}

// run is [halfTile.runGo]. It changes t.
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
//				for l := range 32*steps*parts {
//					sum += a[i][l] * b[p][l][j]
//				}
//				c[i*ldc+p*32+j] = sum
//			}
//		}
//	}
func (t *halfTile) runGo() {
	rows := t.stepA / (2 * halfStep)
	a := unsafe.Slice(t.a, t.parts*t.steps*rows*halfStep)
	pitch := t.panels*t.steps*halfTileB + t.skipB/2 // of a part
	b := unsafe.Slice(t.b, (t.parts-1)*pitch+t.panels*t.steps*halfTileB)
	c := unsafe.Slice(t.c, (rows-1)*t.ldc/4+t.panels*panel)
	for p := range t.panels {
		for i := range rows {
			for j := range panel {
				at := i*t.ldc/4 + p*panel + j
				sum := float32(0)
				if t.acc != 0 {
					sum = c[at]
				}
				for l := range t.parts * t.steps * halfStep {
					part, in := l/(t.steps*halfStep), l%(t.steps*halfStep)
					left := a[l/halfStep*rows*halfStep+i*halfStep+l%halfStep]
					sum += left.Float32() * b[part*pitch+p*t.steps*halfTileB+halfIndex(in, j)].Float32()
				}
				c[at] = sum
			}
		}
	}
}

// halfIndex returns the place of row l and column j in a part of a panel.
func halfIndex(l, j int) int {
	return l/halfStep*halfTileB + j/amxQuads*(halfTileB/2) + l%halfStep/2*halfStep + j%amxQuads*2 + l%2
}

// halfParts returns the number of parts of k values, and the steps of each. The values after k are zero.
func halfParts(k int) (parts, steps int) {
	all := (k + halfStep - 1) / halfStep
	parts = (all + halfPart - 1) / halfPart
	return parts, (all + parts - 1) / parts
}

// packedHalves returns the size of a packed k×n matrix.
func packedHalves(k, n int) int {
	parts, steps := halfParts(k)
	return (n + panel - 1) / panel * parts * steps * halfTileB
}

// halfPacker is the task of packing a k×n matrix as the right operand of tiles: chunks of panels, each by parts. A turn
// packs a panel.
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
	parts, steps := halfParts(p.k)
	b, ldb := p.b[i*panel:], p.n
	var own []float32
	if cols := p.n - i*panel; cols < panel || p.k%2 != 0 {
		own = scratch.get((p.k + 1) * panel)
		packPanelGo(own, b, p.k, min(cols, panel), ldb)
		clear(own[p.k*panel:])
		b, ldb = own, panel
	}
	chunk := i / halfChunk * halfChunk
	panels := min(halfChunk, (p.n+panel-1)/panel-chunk)
	size := steps * halfTileB
	for part := range parts {
		dst := p.dst[chunk*parts*size+(part*panels+i-chunk)*size:][:size]
		l := part * steps * halfStep
		rows := min(steps*halfStep, p.k-l)
		if rows < steps*halfStep {
			clear(dst[max(rows, 0)/halfStep*halfTileB:])
		}
		if rows > 0 {
			pairsBF16AVX512((*uint16)(&dst[0]), &b[l*ldb], (rows+1)/2, 4*ldb)
		}
	}
	scratch.put(own)
}

// halfGemm is the task of a product of m×k and k×n. A turn computes some groups of rows and some chunks of panels.
type halfGemm struct {
	dst, a  []float32
	b       []tensor.BF16 // packed
	m, k, n int
	acc     bool // the product is added to dst

	groups, chunks         int
	parts, steps           int
	rowBlocks, chunkBlocks int
}

var halfGemms freelist[halfGemm]

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
	buf := scratch.get(packedHalves(k, n) / 2)
	packHalves(halvesOf(buf), b, k, n)
	timesHalves(dst, a, halvesOf(buf), m, k, n, acc)
	scratch.put(buf)
	scratch.put(ownA)
	scratch.put(ownB)
}

// timesHalves multiplies by a packed matrix.
func timesHalves(dst, a []float32, packed []tensor.BF16, m, k, n int, acc bool) {
	g := halfGemms.get()
	*g = halfGemm{dst: dst, a: a, b: packed, m: m, k: k, n: n, acc: acc}
	g.do()
	*g = halfGemm{}
	halfGemms.put(g)
}

// halvesOf returns the memory of x as bfloat16.
func halvesOf(x []float32) []tensor.BF16 {
	return unsafe.Slice((*tensor.BF16)(unsafe.Pointer(unsafe.SliceData(x))), 2*len(x))
}

// do divides the product into turns and runs them. The sums do not depend on the division.
func (g *halfGemm) do() {
	const speed, each, least = 500, 4, 3000 // multiply-adds of a nanosecond, turns of a thread, nanoseconds of a turn
	g.groups, g.chunks = (g.m+halfRows-1)/halfRows, (g.n+halfChunk*panel-1)/(halfChunk*panel)
	g.parts, g.steps = halfParts(g.k)
	cost := g.m*g.n*g.k/speed + g.m*(g.n+g.k)/8
	turns := 1
	if threads := Threads(); threads > 1 {
		turns = max(1, min(cost/least, each*threads))
	}
	g.rowBlocks = min(g.groups, turns)
	g.chunkBlocks = min(g.chunks, (turns+g.rowBlocks-1)/g.rowBlocks)
	parallel(g.rowBlocks*g.chunkBlocks, cost, g)
}

func (g *halfGemm) run(i int) {
	bn, bm := i%g.chunkBlocks, i/g.chunkBlocks
	g0, g1 := bm*g.groups/g.rowBlocks, (bm+1)*g.groups/g.rowBlocks
	c0, c1 := bn*g.chunks/g.chunkBlocks, (bn+1)*g.chunks/g.chunkBlocks
	depth := g.parts * g.steps * halfStep
	near := min(g1-g0, max(1, halfNear/(2*halfRows*depth)))
	own := scratch.get(halfChunk*halfRows*panel + halfRows*panel + near*halfRows*depth/2)
	parts, sums, rest := own[:halfChunk*halfRows*panel], own[halfChunk*halfRows*panel:][:halfRows*panel], own[(halfChunk+1)*halfRows*panel:]
	a := halvesOf(rest)
	for ; g0 < g1; g0 += near {
		end, first := min(g0+near, g1), g.row(g0)
		for i := g0; i < end; i++ {
			g.packRows(a[(g.row(i)-first)*depth:], i)
		}
		for c := c0; c < c1; c++ {
			for i := g0; i < end; i++ {
				g.tile(a[(g.row(i)-first)*depth:], parts, sums, i, c)
			}
		}
	}
	scratch.put(own)
}

// row returns the first row of group i.
func (g *halfGemm) row(i int) int { return i * g.m / g.groups }

// packRows converts the rows of group i.
func (g *halfGemm) packRows(dst []tensor.BF16, i int) {
	r0, r1 := g.row(i), g.row(i+1)
	whole, step := g.k/halfStep, (r1-r0)*halfStep
	clear(dst[whole*step : g.parts*g.steps*step])
	for r := r0; r < r1; r++ {
		x, own := g.a[r*g.k:][:g.k], dst[(r-r0)*halfStep:]
		if whole > 0 {
			rowBF16AVX512((*uint16)(&own[0]), &x[0], whole, 2*step)
		}
		if left := g.k % halfStep; left > 0 {
			toBF16(own[whole*step:][:left], x[whole*halfStep:])
		}
	}
}

// tile computes chunk c of group i. The sums of a panel that is not full need memory of their own.
func (g *halfGemm) tile(a []tensor.BF16, parts, sums []float32, i, c int) {
	r, rows := g.row(i), g.row(i+1)-g.row(i)
	upper, p0 := (rows+1)/2, c*halfChunk
	panels := min(halfChunk, (g.n+panel-1)/panel-p0)
	size := g.steps * halfTileB
	t := halfTile{
		a: &a[0], b: &g.b[p0*g.parts*size], part: &parts[0],
		lower: 2 * upper * halfStep, stepA: 2 * rows * halfStep, partA: 2 * rows * halfStep * g.steps, steps: g.steps, parts: g.parts,
	}
	t.config.shape(upper, rows-upper, amxQuads)
	if g.acc {
		t.acc = 1
	}
	last := t // the panel that is not full
	if t.panels = min(panels, g.n/panel-p0); t.panels > 0 {
		dst := g.dst[r*g.n+p0*panel:]
		t.c, t.c2, t.ldc = &dst[0], &dst[upper*g.n], 4*g.n
		t.skipB = 2 * (panels - t.panels) * size
		t.run()
	}
	if t.panels < panels {
		last.b = &g.b[p0*g.parts*size+t.panels*size]
		last.c, last.c2, last.ldc, last.panels = &sums[0], &sums[upper*panel], 4*panel, 1
		last.skipB = 2 * t.panels * size
		cols := g.n % panel
		dst := g.dst[r*g.n+g.n-cols:]
		if g.acc {
			copyRows(sums, dst, cols, rows, panel, g.n)
		}
		last.run()
		copyRows(dst, sums, cols, rows, g.n, panel)
	}
}

//go:noescape
func halfTileAMXBF16(t *halfTile)

//go:noescape
func rowBF16AVX512(dst *uint16, x *float32, steps, ldd int)

//go:noescape
func pairsBF16AVX512(dst *uint16, b *float32, pairs, ldb int)
