package cpu

// byteGemm is the task of a product of bytes: m rows of a, which are lda bytes apart, with a packed b of n
// columns, or of a batch of such products, which are side by side in the output. A turn computes a block of
// rows and panels. Turns share no results.
type byteGemm struct {
	a, b    []byte
	lda     int
	m, k, n int
	batch   int
	strideA int      // from one product's rows to the next one's
	rows    *patches // the rows of a; nil: they are lda apart
	out     byteOut

	depth                  int  // bytes of a row in the layout of b
	even                   bool // the rows of a tile are in one line
	wide                   bool // micro-kernels read rows of words, which are copied
	far                    bool // the output is larger than caches near a core
	tiles, panels, unit    int  // unit is the number of adjacent panels of a turn
	rowsOfTiles            shares
	rowBlocks, panelBlocks int
}

var byteGemms freelist[byteGemm]

// do divides the product into turns, runs them and gives g back.
func (g *byteGemm) do() {
	if g.m > 0 && g.n > 0 {
		g.divideTiles()
		g.far = 4*g.m*g.out.ldd > farBytes*Threads()
		cost := g.cost()
		g.cut(cost)
		parallel(g.batch*g.rowBlocks*g.panelBlocks, cost, g)
	}
	*g = byteGemm{}
	byteGemms.put(g)
}

// cost estimates the nanoseconds of the product on one thread: for the sums and the outputs, or for reading
// b.
func (g *byteGemm) cost() int {
	cols := g.panels * panel
	return g.batch * max(g.m*cols*g.depth/byteSpeed()+g.m*cols/8, cols*g.depth/40)
}

// cut computes the number of turns: one, if there are no other threads.
func (g *byteGemm) cut(cost int) {
	const each, least = 4, 1500 // wanted turns of a thread; nanoseconds that a turn should take
	threads := Threads()
	turns := max(1, min(cost/least, each*threads)/g.batch)
	if turns > threads {
		turns = turns / threads * threads // the same number for each thread
	}
	if threads == 1 {
		turns = 1
	}
	units := (g.panels + g.unit - 1) / g.unit
	g.rowBlocks = min(g.tiles, turns)
	g.panelBlocks = min(units, (turns+g.rowBlocks-1)/g.rowBlocks)
}

// divideTiles divides rows and columns into tiles.
func (g *byteGemm) divideTiles() {
	quads := quadsOf(g.k)
	g.depth = 4 * quads
	if g.rows != nil {
		quads = quadsOf(g.rows.run)
		g.depth = len(g.rows.starts) * 4 * quads
	}
	rows := byteRows(quads)
	g.batch, g.tiles = max(g.batch, 1), (g.m+rows-1)/rows
	g.wide = byteWords(g.m)
	if g.rows != nil && !g.wide {
		least := min(10, 2*rows-1) // twice the rows of a tile that keep a micro-kernel busy
		width, per := g.rows.out[g.rows.axes-1], g.rows.lineTiles(rows)
		if g.even = evenRows && 2*width >= least*per; g.even {
			g.tiles = g.m / width * per
		}
	}
	g.rowsOfTiles = sharesOf(g.m, g.tiles)
	g.panels, g.unit = (g.n+panel-1)/panel, 1
	if g.tiles == 1 {
		g.unit = byteUnit(g.m)
	}
}

func (g *byteGemm) run(i int) {
	// Consecutive turns compute the same rows, as in [gemm.turn]: groups of channels are adjacent in each
	// row.
	bn, i := i%g.panelBlocks, i/g.panelBlocks
	e, bm := i%g.batch, i/g.batch
	units := (g.panels + g.unit - 1) / g.unit
	b := byteBlock{byteGemm: g, a: g.a[e*g.strideA:], b: g.b[e*g.panels*g.depth*panel:], out: g.out.from(0, e*g.n)}
	b.run(
		bm*g.tiles/g.rowBlocks, (bm+1)*g.tiles/g.rowBlocks,
		bn*units/g.panelBlocks*g.unit, min((bn+1)*units/g.panelBlocks*g.unit, g.panels),
	)
}

// byteBlock is a turn of a byteGemm.
type byteBlock struct {
	*byteGemm
	a, b    []byte
	out     byteOut
	own     []byte                // copied rows of a group of tiles
	group   int                   // the number of tiles whose sums become outputs at once
	tile    [tilesAtOnce]byteTile // of a group
	sums    []int32               // of a group
	rowSums []int32               // the sums of its rows, if they are needed
}

// A group has several tiles if they have few rows: to convert the sums of all of them costs hardly more than those of one.
const (
	tilesAtOnce = 16
	rowsAtOnce  = maxByteSums / (2 * panel) // the sums of two panels fit in the memory of those of a tile
)

// farBytes is the number of bytes of output of a thread from which on stores bypass the caches: its reader would not find them
// near, and so they do not have to be read before they are written.
const farBytes = 2 << 20

// run computes tiles t0 ≤ t < t1 and panels p0 ≤ p < p1.
func (b *byteBlock) run(t0, t1, p0, p1 int) {
	buf := b.makeGroup()
	sumBuf, sums := scratchInts(maxByteSums + max(maxByteRows, rowsAtOnce))
	b.sums, b.rowSums = sums[:maxByteSums], sums[maxByteSums:]
	near := max(byteNear()/(b.depth*panel+1)/b.unit*b.unit, 4)
	for p := p0; p < p1; p += near {
		end := min(p+near, p1)
		for t := t0; t < t1; {
			n, first := b.outputs(t, t1, p, end)
			if n == 0 {
				n = min(b.group, t1-t)
			}
			b.runTiles(t, n, first, end)
			t += n
		}
	}
	scratch.put(buf)
	scratch.put(sumBuf)
}

// makeGroup computes the size of groups, and makes the memory of their copied rows. The result must be given back to [scratch].
func (b *byteBlock) makeGroup() (buf []float32) {
	const near = 16 << 10 // bytes of rows that stay in the nearest cache while panels are multiplied with them
	rows := (b.m + b.tiles - 1) / b.tiles
	bytes := rows * b.depth
	if b.wide {
		bytes *= 2
	}
	b.group = 1
	if bytePanels(rows, b.panels) == 1 { // a tile of several panels has enough sums
		b.group = max(1, min(rowsAtOnce/rows, tilesAtOnce, near/(bytes+1)))
	}
	if b.wide || b.rows != nil && !b.even {
		buf, b.own = scratchBytes(b.group * bytes)
	}
	return buf
}

// row returns the first row of tile t.
func (b *byteBlock) row(t int) int { return b.rowsOfTiles.first(t) }

// runTiles computes panels p0 to p1-1 of n tiles from t on, in groups.
func (b *byteBlock) runTiles(t, n, p0, p1 int) {
	for end := t + n; t < end && p0 < p1; t += b.group {
		tiles := b.tile[:min(b.group, end-t)]
		r := b.row(t)
		for i := range tiles {
			b.setTile(&tiles[i], t+i, r)
		}
		rows := b.row(t+len(tiles)) - r
		for p := p0; p < p1; {
			p += b.runPanels(tiles, r, rows, p, p1-p)
		}
	}
}

// setTile makes tile that of rows of a group, which begins with row first.
func (b *byteBlock) setTile(tile *byteTile, t, first int) {
	r := b.row(t)
	*tile = byteTile{ldp: b.depth * panel, rows: b.row(t+1) - r}
	b.setRows(tile, r, r-first)
}

// runPanels computes panel p of tiles, and as many of the following ones as a micro-kernel takes, but not more than left. The
// tiles have some rows, the first of which is r. It returns the number of panels.
func (b *byteBlock) runPanels(tiles []byteTile, r, rows, p, left int) int {
	panels := left
	for i := range tiles {
		panels = min(panels, bytePanels(tiles[i].rows, left))
	}
	ldc := panels * panel
	cols := min(ldc, b.n-p*panel)
	at := 0
	for i := range tiles {
		t := &tiles[i]
		t.panels, t.ldc, t.cols = panels, ldc, cols
		t.b, t.c = b.b[p*t.ldp:][:panels*t.ldp], b.sums[at:]
		t.run()
		at += t.rows * ldc
	}
	b.out.store(b.sums, ldc, r, p*panel, rows, cols, b.rowSums)
	return panels
}

// setRows sets the rows of tile t, beginning at r, and computes their sums if they are needed. They are those of a group from
// row i on.
func (b *byteBlock) setRows(t *byteTile, r, i int) {
	rowSums := b.rowSums[i:]
	if b.wide {
		b.widen(t, r, b.own[2*i*b.depth:], rowSums)
		return
	}
	if b.rows == nil {
		t.a, t.lda, t.quads, t.runs = b.a[r*b.lda:], b.lda, quadsOf(b.k), 1
		if b.out.shift != nil {
			sumRuns(rowSums[:t.rows], t.a, t.lda, oneRun, b.k)
		}
		return
	}
	var at [maxByteRows]int
	apart := b.rows.places(at[:t.rows], r)
	if apart != 0 {
		t.lda = apart
	}
	switch {
	case b.out.shift == nil:
	case apart != 0:
		sumRuns(rowSums[:t.rows], b.a[at[0]:], apart, b.rows.starts, b.rows.run)
	default:
		for i := range t.rows {
			sumRuns(rowSums[i:i+1], b.a[at[i]:], 0, b.rows.starts, b.rows.run)
		}
	}
	if b.even {
		t.a, t.quads, t.runs, t.steps = b.a[at[0]:], quadsOf(b.rows.run), len(b.rows.starts), b.rows.steps
		return
	}
	t.a, t.lda, t.quads, t.runs = b.own[i*b.depth:], b.depth, b.depth/4, 1
	run := 4 * quadsOf(b.rows.run)
	for i := range t.rows {
		own, a := t.a[i*b.depth:], b.a[at[i]:]
		for k, s := range b.rows.starts {
			copy(own[k*run:][:run], a[s:])
		}
	}
}

// places is locate for all rows.
func (p *patches) places(at []int, row int) (apart int) {
	apart = p.locate(at, row)
	for i := range at {
		if apart != 0 {
			at[i] = at[0] + i*apart
		}
	}
	return apart
}

// sumRunsGo adds up the bytes of rows of x. A row consists of runs, each of run bytes, up to whose next multiple of four memory can be
// read; starts ascend.
//
//	for i := range dst {
//		for _, s := range starts {
//			for _, v := range x[i*apart+s:][:run] {
//				dst[i] += v
//			}
//		}
//	}
func sumRunsGo(dst []int32, x []byte, apart int, starts []int, run int) {
	for i := range dst {
		sum := int32(0)
		for _, s := range starts {
			sum += sumBytesGo(x[i*apart+s:][:run])
		}
		dst[i] = sum
	}
}
