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
	halfNear  = 1 << 20   // bytes of packed rows that stay in the second cache, or of panels where rows are not packed
	halfChunk = 512 << 10 // bytes of panels that stay there beside packed rows
	halfMost  = 1 << 26   // multiply-adds of a call, which cannot be interrupted
)

// halfWorth reports whether tiles of bfloat16 are faster than float32 for a product of that size. Operands must be
// converted, and tiles that are less than half full are slow.
func halfWorth(m, k, n int) bool {
	return level == AVX512 && hasAMXBF16 && m >= amxRows && n >= amxRows && k >= halfStep && m*k*n >= 1<<19
}

// halvesGo is
//
//	for g := range groups {
//		for p := range panels {
//			for i := range rows {
//				for j := range 32 {
//					sum := from[g*rows+i][p*32+j] // or 0
//					for l := range 32*blocks {
//						sum += a[g*rows+i][l] * b[p][l][j]
//					}
//					dst[g*rows+i][p*32+j] = sum
//				}
//			}
//		}
//	}
//
// where the values of k are divided into blocks of 32, and the order of b is by panels and blocks.
func (x *outputTile) halvesGo() {
	for g := range x.groups {
		if g > 0 { // behind the last group there may be no memory
			x.a, x.dst = plus(x.a, x.groupA), unsafe.Add(x.dst, x.rows*x.ldd)
			if x.from != nil {
				x.from = plus(x.from, x.rows*x.ldFrom)
			}
		}
		for p := range x.panels {
			for i := range x.rows {
				x.rowGo(p, i)
			}
		}
	}
}

// rowGo computes row i of a group and panel p.
func (x *outputTile) rowGo(p, i int) {
	place := func(of unsafe.Pointer, ld int) *[panel]float32 {
		return (*[panel]float32)(unsafe.Add(of, i*ld+p*4*panel))
	}
	sums := [panel]float32{}
	if x.from != nil {
		sums = *place(unsafe.Pointer(x.from), x.ldFrom)
	}
	b := unsafe.Slice((*tensor.BF16)(unsafe.Pointer(plus(x.b, p*x.blocks*2*halfTileB))), x.blocks*halfTileB)
	for s := range x.blocks {
		a := (*[halfStep]tensor.BF16)(unsafe.Pointer(plus(x.a, i*x.lda+s*x.stepA)))
		for l, v := range a {
			for j := range sums {
				sums[j] += v.Float32() * b[s*halfTileB+halfIndex(l, j)].Float32()
			}
		}
	}
	*place(x.dst, x.ldd) = sums
}

// plus returns the address so many bytes behind p.
func plus[T any](p *T, bytes int) *T { return (*T)(unsafe.Add(unsafe.Pointer(p), bytes)) }

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
	from    []float32 // what sums begin with, nil for zeros
	ldFrom  int       // from row to row of from: 0 if it has one row for all
	inOrder bool      // b is in the order of [PackB32]

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
	*g = halfGemm{dst: dst, a: a, b: packed, m: m, k: k, n: n}
	if acc {
		g.from, g.ldFrom = dst, n
	}
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
	if g.inOrder && g.rowBlocks > 1 { // several turns read a panel
		own := scratch.get(packedHalves(g.k, g.n) / 2)
		packPanels(halvesOf(own), g.b, g.k, g.n)
		defer scratch.put(own)
		g.b, g.inOrder = halvesOf(own), false
	}
	parallel(g.rowBlocks*g.panelBlocks, cost, g)
}

func (g *halfGemm) run(i int) {
	bn, bm := i%g.panelBlocks, i/g.panelBlocks
	g0, g1 := bm*g.groups/g.rowBlocks, (bm+1)*g.groups/g.rowBlocks
	p0, p1 := bn*g.panels/g.panelBlocks, (bn+1)*g.panels/g.panelBlocks
	depth := g.steps * halfStep
	near, chunk := min(g1-g0, max(1, halfNear/(2*halfRows*depth))), max(1, halfChunk/(2*panel*depth))
	rows, panels := near*halfRows*depth/2, 0
	b := halfBlock{halfGemm: g, asStored: g.a.half != nil && g.k%halfStep == 0, right: g.b}
	if b.asStored {
		near, rows, chunk = g1-g0, 0, max(1, halfNear/(2*panel*depth))
	}
	if g.inOrder {
		panels = min(chunk, p1-p0) * panel * depth / 2
	}
	own := scratch.get(maxByteSums + halfRows*panel + rows + panels)
	b.sums, b.last = own[:maxByteSums], own[maxByteSums:][:halfRows*panel]
	b.packed, b.tiles = halvesOf(own[maxByteSums+halfRows*panel:][:rows]), halvesOf(own[maxByteSums+halfRows*panel+rows:])
	for ; g0 < g1; g0 += near {
		end := min(g0+near, g1)
		b.pack(g0, end)
		for p := p0; p < p1; p += chunk {
			b.order(p, min(p+chunk, p1))
			for i := g0; i < end; {
				n := min(g.alike(i, end), max(1, halfMost/(halfRows*panel*chunk*depth)))
				b.products(i, n, p, min(p+chunk, p1))
				i += n
			}
		}
	}
	scratch.put(own)
}

// halfBlock is a turn of a halfGemm.
type halfBlock struct {
	*halfGemm
	sums       []float32 // of two panels
	last       []float32 // the outputs of the panel that is not full
	packed     []tensor.BF16
	first      int           // the row with which packed begins
	asStored   bool          // rows of a are not packed
	tiles      []tensor.BF16 // memory for some panels of a b that is in another order
	right      []tensor.BF16 // panels in the order of tiles, from panel firstRight on
	firstRight int
}

// order brings panels p0 to p1-1 into the order of tiles, if they are in another one.
func (b *halfBlock) order(p0, p1 int) {
	if !b.inOrder {
		return
	}
	b.right, b.firstRight = b.tiles, p0
	for p := p0; p < p1; p++ {
		orderPanel(b.panel(p), b.b[p*b.k*panel:], b.k)
	}
}

// panel returns panel p in the order of tiles.
func (b *halfBlock) panel(p int) []tensor.BF16 { return b.right[(p-b.firstRight)*b.steps*halfTileB:] }

// pack packs the rows of groups g0 to g1-1.
func (b *halfBlock) pack(g0, g1 int) {
	b.first = b.row(g0)
	for i := g0; i < g1 && !b.asStored; i++ {
		b.packRows(b.packed[(b.row(i)-b.first)*b.steps*halfStep:], i)
	}
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

// products computes panels p0 to p1-1 of n groups from i on, which have equally many rows.
func (b *halfBlock) products(i, n, p0, p1 int) {
	full := min(p1, b.n/panel)
	if full > p0 {
		x := b.outputTile(i, p0, full-p0)
		x.groups = n
		x.setDst(unsafe.Pointer(&b.dst[b.row(i)*b.n+p0*panel]), b.n, 4)
		if b.from != nil {
			x.setFrom(&b.from[b.row(i)*b.ldFrom+p0*panel], b.ldFrom)
		}
		b.outputs(&x, 4*b.m*b.n > farBytes*Threads())
	}
	for e := i; e < i+n && full < p1; e++ {
		b.lastPanel(e, full)
	}
}

// lastPanel computes the panel that is not full. Its outputs need memory of their own.
func (b *halfBlock) lastPanel(i, p int) {
	x, dst, cols := b.outputTile(i, p, 1), b.dst[b.row(i)*b.n+p*panel:], b.n%panel
	x.setDst(unsafe.Pointer(&b.last[0]), panel, 4)
	if b.from != nil {
		copyRows(b.last, b.from[b.row(i)*b.ldFrom+p*panel:], cols, x.rows, panel, b.ldFrom)
		x.setFrom(&b.last[0], panel)
	}
	b.outputs(&x, false)
	copyRows(dst, b.last, cols, x.rows, b.n, panel)
}

// outputTile returns the argument for group i and some panels from p0 on, without dst.
func (b *halfBlock) outputTile(i, p0, panels int) outputTile {
	a, lda, stepA := b.rowsOf(i)
	rows := b.row(i+1) - b.row(i)
	upper := (rows + 1) / 2
	x := outputTile{
		a: addressOf(a), a2: addressOf(a[upper*lda:]), b: addressOf(b.panel(p0)), sums: alignedSums(intsOf(b.sums)),
		lower: 4 * panel * upper, lda: 2 * lda, stepA: 2 * stepA, blocks: b.steps, groups: 1, panels: panels, rows: rows,
		each: (rows + b.steps - 1) / b.steps, groupA: 2 * rows * b.depthOfRows(),
	}
	x.config.shape(upper, rows-upper, amxQuads)
	return x
}

// addressOf returns the memory of x, which is not empty.
func addressOf(x []tensor.BF16) *byte { return (*byte)(unsafe.Pointer(&x[0])) }

// rowsOf returns the rows of group i, and the distances of rows and of steps.
func (b *halfBlock) rowsOf(i int) (a []tensor.BF16, lda, stepA int) {
	r := b.row(i)
	if b.asStored {
		return b.a.half[r*b.k:], b.k, halfStep
	}
	return b.packed[(r-b.first)*b.steps*halfStep:], halfStep, (b.row(i+1) - r) * halfStep
}

// depthOfRows returns the number of values of a row in memory.
func (b *halfBlock) depthOfRows() int {
	if b.asStored {
		return b.k
	}
	return b.steps * halfStep
}

// setFrom sets what the sums begin with, whose rows are ld elements apart. It comes after setDst.
func (x *outputTile) setFrom(from *float32, ld int) {
	x.from, x.ldFrom = from, 4*ld
	x.from2 = plus(from, (x.rows+1)/2*x.ldFrom)
	x.groupFrom = x.rows*x.ldFrom - x.panels*x.next
}

// outputs runs the micro-kernel. With far, stores bypass the caches.
func (b *halfBlock) outputs(x *outputTile, far bool) {
	switch {
	case !hasAMXBF16: // only tests come here
		x.halvesGo()
	case far && x.onLines():
		halfFarOutputsAMXBF16(x)
	default:
		halfOutputsAMXBF16(x)
	}
}

// intsOf returns the memory of x as integers.
func intsOf(x []float32) []int32 {
	return unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}
