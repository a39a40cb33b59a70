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
	halfNear  = 512 << 10 // bytes of rows that stay in the second cache
	halfChunk = 128 << 10 // bytes of panels that stay there beside them
)

// halfWorth reports whether tiles of bfloat16 are faster than float32 for a product of that size. Operands must be
// converted, and tiles that are less than half full are slow.
func halfWorth(m, k, n int) bool {
	return level == AVX512 && hasAMXBF16 && m >= amxRows && n >= amxRows && k >= halfStep && m*k*n >= 1<<19
}

// halfTile is the argument of a micro-kernel of some groups of 2 to 32 rows each, and some panels. Assembly uses the
// offsets of its fields. The values of k are divided into steps of 32. With each step, the rows of a continue behind all
// rows of the group. The order of b is by panels and steps.
type halfTile struct {
	config       tileConfig
	a, b         *tensor.BF16
	c, c2        *float32 // the upper and the lower half of the rows of a group
	lower, stepA int      // bytes of a from the first row to the lower half, and of all rows of a step
	ldc, groupC  int      // bytes of c from row to row, and from group to group
	ahead, rest  int      // steps: first those that prefetch two rows of c each
	panels       int      // they are side by side in c
	groups       int
	acc          int // 1: the sums begin with c, 0: with zero
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
//	for g := range groups {
//		for p := range panels {
//			for i := range rows {
//				for j := range 32 {
//					at := (g*rows+i)*ldc + p*32 + j
//					sum := acc*c[at]
//					for l := range 32*steps {
//						sum += a[g*rows+i][l] * b[p][l][j]
//					}
//					c[at] = sum
//				}
//			}
//		}
//	}
func (t *halfTile) runGo() {
	rows, depth := t.stepA/(2*halfStep), (t.ahead+t.rest)*halfStep
	a, b := unsafe.Slice(t.a, t.groups*rows*depth), unsafe.Slice(t.b, t.panels*depth*panel)
	c := unsafe.Slice(t.c, (t.groups-1)*t.groupC/4+(rows-1)*t.ldc/4+t.panels*panel)
	for g := range t.groups {
		group := a[g*rows*depth:][:rows*depth]
		for p := range t.panels {
			for i := range rows {
				for j := range panel {
					at := g*t.groupC/4 + i*t.ldc/4 + p*panel + j
					sum := float32(0)
					if t.acc != 0 {
						sum = c[at]
					}
					for l := range depth {
						left := group[l/halfStep*rows*halfStep+i*halfStep+l%halfStep]
						sum += left.Float32() * b[p*depth*panel+halfIndex(l, j)].Float32()
					}
					c[at] = sum
				}
			}
		}
	}
}

// halfIndex returns the place of row l and column j in a panel.
func halfIndex(l, j int) int {
	return l/halfStep*halfTileB + j/amxQuads*(halfTileB/2) + l%halfStep/2*halfStep + j%amxQuads*2 + l%2
}

// halfSteps returns the number of steps of k values. The values after k are zero.
func halfSteps(k int) int { return (k + halfStep - 1) / halfStep }

// packedHalves returns the size of a packed k×n matrix.
func packedHalves(k, n int) int { return (n + panel - 1) / panel * halfSteps(k) * halfTileB }

// halfPacker is the task of packing a k×n matrix as the right operand of tiles: panels, each by steps. A turn packs some
// panels side by side, so that it reads whole pieces of rows.
type halfPacker struct {
	dst    []tensor.BF16
	b      halfOperand
	k, n   int
	panels int // of a turn at most
}

var halfPackers freelist[halfPacker]

func packHalves(dst []tensor.BF16, b halfOperand, k, n int) {
	const most, each = 8, 4 // panels of a turn, turns of a thread
	panels := (n + panel - 1) / panel
	width := max(1, min(most, panels/(each*Threads())))
	p := halfPackers.get()
	*p = halfPacker{dst, b, k, n, width}
	parallel((panels+width-1)/width, k*n/8, p)
	*p = halfPacker{}
	halfPackers.put(p)
}

func (p *halfPacker) run(i int) {
	p0, p1 := i*p.panels, min((i+1)*p.panels, (p.n+panel-1)/panel)
	full := min(p1, p.n/panel)
	if p.k%2 != 0 {
		full = p0
	}
	for j := full; j < p1; j++ {
		p.packAlone(j)
	}
	for l := 0; l < p.k; l += halfStep {
		for j := p0; j < full; j++ {
			dst, pairs := p.step(j, l), min(halfStep, p.k-l)/2
			if pairs < halfStep/2 {
				clear(dst)
			}
			if at := l*p.n + j*panel; p.b.half != nil {
				pairHalvesAVX512((*uint16)(&dst[0]), (*uint16)(&p.b.half[at]), pairs, 2*p.n)
			} else {
				pairsBF16AVX512((*uint16)(&dst[0]), &p.b.wide[at], pairs, 4*p.n)
			}
		}
	}
}

// step returns the memory of panel j for the step that begins with row l.
func (p *halfPacker) step(j, l int) []tensor.BF16 {
	return p.dst[(j*halfSteps(p.k)+l/halfStep)*halfTileB:][:halfTileB]
}

// packAlone packs a panel that is not full, or of an odd number of rows, through a copy that is filled with zeros.
func (p *halfPacker) packAlone(j int) {
	own := scratch.get((p.k + 1) * panel)
	p.widePanel(own, j*panel, min(panel, p.n-j*panel))
	last := p.step(j, p.k-1)
	clear(last)
	pairsBF16AVX512((*uint16)(&p.step(j, 0)[0]), &own[0], (p.k+1)/2, 4*panel)
	scratch.put(own)
}

// widePanel copies columns from j on to rows of 32 floats, and fills them, and another row, with zeros.
func (p *halfPacker) widePanel(own []float32, j, cols int) {
	clear(own)
	for l := range p.k {
		row, at := own[l*panel:][:cols], l*p.n+j
		if p.b.half == nil {
			copy(row, p.b.wide[at:])
			continue
		}
		for c, v := range p.b.half[at:][:cols] {
			row[c] = v.Float32()
		}
	}
}

// halfGemm is the task of a product of m×k and k×n. A turn computes some groups of rows and some panels.
type halfGemm struct {
	dst     []float32
	a       halfOperand
	b       []tensor.BF16 // packed
	m, k, n int
	acc     bool // the product is added to dst

	groups, panels, steps  int
	rowBlocks, panelBlocks int
}

var halfGemms freelist[halfGemm]

// gemmHalves is dst = a·b, or += with acc, of operands that are rounded to bfloat16.
func gemmHalves(dst []float32, a, b halfOperand, m, k, n int, acc bool) {
	buf := scratch.get(packedHalves(k, n) / 2)
	packHalves(halvesOf(buf), b, k, n)
	timesHalves(dst, a, halvesOf(buf), m, k, n, acc)
	scratch.put(buf)
}

// timesHalves multiplies by a packed matrix.
func timesHalves(dst []float32, a halfOperand, packed []tensor.BF16, m, k, n int, acc bool) {
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
	g.groups, g.panels, g.steps = (g.m+halfRows-1)/halfRows, (g.n+panel-1)/panel, halfSteps(g.k)
	cost := g.m*g.n*g.k/speed + g.m*(g.n+g.k)/8
	turns := 1
	if threads := Threads(); threads > 1 {
		turns = max(1, min(cost/least, each*threads))
	}
	g.rowBlocks = min(g.groups, turns)
	g.panelBlocks = min((g.panels+3)/4, (turns+g.rowBlocks-1)/g.rowBlocks)
	parallel(g.rowBlocks*g.panelBlocks, cost, g)
}

func (g *halfGemm) run(i int) {
	bn, bm := i%g.panelBlocks, i/g.panelBlocks
	g0, g1 := bm*g.groups/g.rowBlocks, (bm+1)*g.groups/g.rowBlocks
	p0, p1 := bn*g.panels/g.panelBlocks, (bn+1)*g.panels/g.panelBlocks
	depth := g.steps * halfStep
	near, chunk := min(g1-g0, max(1, halfNear/(2*halfRows*depth))), max(1, halfChunk/(2*panel*depth))
	own := scratch.get(halfRows*panel + near*halfRows*depth/2)
	sums, a := own[:halfRows*panel], halvesOf(own[halfRows*panel:])
	for ; g0 < g1; g0 += near {
		end, first := min(g0+near, g1), g.row(g0)
		for i := g0; i < end; i++ {
			g.packRows(a[(g.row(i)-first)*depth:], i)
		}
		for p := p0; p < p1; p += chunk {
			for i := g0; i < end; {
				n := g.alike(i, end)
				g.tiles(a[(g.row(i)-first)*depth:], sums, i, n, p, min(p+chunk, p1))
				i += n
			}
		}
	}
	scratch.put(own)
}

// row returns the first row of group i. The first groups have one row more than the others, if they cannot be equal.
func (g *halfGemm) row(i int) int { return i*(g.m/g.groups) + min(i, g.m%g.groups) }

// alike returns how many groups from i on, up to end, have as many rows as group i.
func (g *halfGemm) alike(i, end int) int {
	if longer := g.m % g.groups; i < longer {
		end = min(end, longer)
	}
	return end - i
}

// packRows converts the rows of group i.
func (g *halfGemm) packRows(dst []tensor.BF16, i int) {
	r0, r1 := g.row(i), g.row(i+1)
	whole, step := g.k/halfStep, (r1-r0)*halfStep
	clear(dst[whole*step : g.steps*step])
	for r := r0; r < r1; r++ {
		own, at := dst[(r-r0)*halfStep:], r*g.k
		if g.a.half != nil {
			x := g.a.half[at:][:g.k]
			for s := range whole {
				*(*[halfStep]tensor.BF16)(own[s*step:]) = [halfStep]tensor.BF16(x[s*halfStep:])
			}
			copy(own[min(whole*step, len(own)):], x[whole*halfStep:])
			continue
		}
		x := g.a.wide[at:][:g.k]
		if whole > 0 {
			rowBF16AVX512((*uint16)(&own[0]), &x[0], whole, 2*step)
		}
		if left := g.k % halfStep; left > 0 {
			toBF16(own[whole*step:][:left], x[whole*halfStep:])
		}
	}
}

// tiles computes panels p0 to p1-1 of n groups from i on, which have equally many rows. The sums of a panel that is not
// full need memory of their own.
func (g *halfGemm) tiles(a []tensor.BF16, sums []float32, i, n, p0, p1 int) {
	r, rows := g.row(i), g.row(i+1)-g.row(i)
	upper, full := (rows+1)/2, min(p1, g.n/panel)
	t := halfTile{
		a: &a[0], b: &g.b[p0*g.steps*halfTileB], lower: 2 * upper * halfStep, stepA: 2 * rows * halfStep,
		ahead: min(g.steps, upper), panels: full - p0, groups: n,
	}
	t.rest = g.steps - t.ahead
	t.config.shape(upper, rows-upper, amxQuads)
	if g.acc {
		t.acc = 1
	}
	last := t // the panel that is not full
	if full > p0 {
		dst := g.dst[r*g.n+p0*panel:]
		t.c, t.c2, t.ldc, t.groupC = &dst[0], &dst[upper*g.n], 4*g.n, 4*rows*g.n
		t.run()
	}
	if full == p1 {
		return
	}
	cols := g.n % panel
	last.b, last.panels, last.groups, last.ldc = &g.b[full*g.steps*halfTileB], 1, 1, 4*panel
	for e := range n {
		dst, one := g.dst[(r+e*rows)*g.n+full*panel:], last
		if g.acc {
			copyRows(sums, dst, cols, rows, panel, g.n)
		}
		one.a, one.c, one.c2 = &a[e*rows*g.steps*halfStep], &sums[0], &sums[upper*panel]
		one.run()
		copyRows(dst, sums, cols, rows, g.n, panel)
	}
}

//go:noescape
func halfTileAMXBF16(t *halfTile)

//go:noescape
func rowBF16AVX512(dst *uint16, x *float32, steps, ldd int)

//go:noescape
func pairsBF16AVX512(dst *uint16, b *float32, pairs, ldb int)

//go:noescape
func pairHalvesAVX512(dst, b *uint16, pairs, ldb int)
