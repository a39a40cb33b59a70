package cpu

// gemm is the task of a product. A turn computes a block of rows and panels of one
// product of the batch, over all of k: turns share nothing.
type gemm struct {
	dst, a, b, bias, res []float32
	batch                int
	m, k, n              int
	lda, ldc             int       // from one row of a and of dst to the next
	strideA, strideB     int       // from one product's operand to the next
	strideC, strideBias  int       // and of dst, res and bias
	inPlace              bool      // b is k×n, not packed, its rows are
	ldb                  int       // apart; but for
	tail                 []float32 // its last panel if that is not full: packed
	acc                  bool      // dst holds something to add to
	act                  Act
	rows                 *patches // the rows of a; nil: they are lda apart

	tiles, panels          int // of one product
	unit                   int // panels that stay together
	rowBlocks, panelBlocks int // turns of one product
}

var gemms freelist[gemm]

const (
	blockK      = 512 // a tile's rows of a stay in L1
	blockPanels = 8   // blockK·blockPanels·panel floats of b stay in L2
	blockRows   = 336
)

// do cuts the product into turns and runs them. The cut is a function of the shape alone.
func (g *gemm) do() {
	g.tiles = (g.m + tileRows() - 1) / tileRows()
	if g.rows != nil {
		g.tiles = g.rows.tiles(g.m)
	}
	g.panels = (g.n + panel - 1) / panel
	g.unit = 1
	if g.tiles == 1 && g.rows == nil {
		g.unit = tilePanels(g.m)
	}
	units := (g.panels + g.unit - 1) / g.unit
	g.rowBlocks = max(1, g.m/blockRows)
	g.panelBlocks = (g.panels + blockPanels - 1) / blockPanels
	cost := g.cost()
	const turns, least = 12, 2500 // wanted turns; nanoseconds that a turn should take
	for {
		have := g.batch * g.rowBlocks * g.panelBlocks
		if have >= turns || cost/have < 2*least {
			break
		}
		rows, cols := g.m/g.rowBlocks, g.n/g.panelBlocks
		if g.panelBlocks < units && (cols >= rows || rows < 2*tileRows()) {
			g.panelBlocks = min(units, 2*g.panelBlocks)
		} else if g.rowBlocks < g.tiles {
			g.rowBlocks = min(g.tiles, 2*g.rowBlocks)
		} else {
			break
		}
	}
	parallel(g.batch*g.rowBlocks*g.panelBlocks, cost, g)
	g.dst, g.a, g.b, g.bias, g.res, g.tail, g.rows = nil, nil, nil, nil, nil, nil, nil
}

// inPlace reports whether a k×n matrix that m rows are multiplied with is better read where it is, with rows ldb apart,
// than packed first: when packing costs more than it saves. Rows whose distance is a multiple of a page quarter crowd in
// a cache.
func inPlace(m, k, n, ldb int) bool {
	switch {
	case level == Portable:
		return m == 1
	case ldb%256 == 0 && k*ldb > 1<<16, ldb > n:
		return m <= 32
	default:
		return m <= 512
	}
}

// cost returns the nanoseconds that the product takes on one thread, roughly: many rows have to be computed, for few
// b has to be read.
func (g *gemm) cost() int {
	read := g.k * g.n / 16
	if g.strideB != 0 {
		read *= g.batch
	}
	return max(g.batch*g.m*g.n*g.k/tileSpeed(), read)
}

// gemmTile is what a micro-kernel gets: rows×cols elements of c, and cols columns of b in as many panels.
// Assembly knows the offsets of its fields.
type gemmTile struct {
	a, b, c, bias, res []float32
	lda, ldb, ldc      int // from one row to the next; a row of b is one value of k
	ldp                int // from one panel of b to the next
	k                  int
	rows, cols         int
	flags              tileFlags

	// A row of a may consist of runs instead: it begins at a[at[row]], has k floats there, and goes on steps[0] behind,
	// and so on, for as many runs as runs says, in which k rows of one panel of b follow k rows. If lda is not 0, rows
	// are evenly apart, and where there are micro-kernels for that only at[0] is set.
	runs  int // 0: rows are lda apart, with a[0] the first
	steps []int
	at    [maxTileRows]int

	ahead []float32 // what is read next: kernels ask for 16 floats with each value of k
}

// maxTileRows is the most rows that any micro-kernel takes.
const maxTileRows = 14

// tileFlags say what a micro-kernel does besides summing. They are tested in this order.
type tileFlags int

const (
	tileAcc       tileFlags = 1 << iota // the sums begin with what c holds, not with zero
	tileBias                            // bias is added
	tileRes                             // res, which has c's shape, is added
	tileRelu                            // what is negative becomes zero
	tileRelu6                           // and what is above 6 becomes 6
	tileHardSwish                       // x becomes x·max(0, min(1, x/6+1/2))
)

func (g *gemm) run(i int) {
	turns := g.rowBlocks * g.panelBlocks
	e, i := i/turns, i%turns
	bm, bn := i%g.rowBlocks, i/g.rowBlocks
	units := (g.panels + g.unit - 1) / g.unit
	c := gemmBlock{
		gemm: g,
		a:    g.a[e*g.strideA:], b: g.b[e*g.strideB:], dst: g.dst[e*g.strideC:],
		bias: from(g.bias, e*g.strideBias), res: from(g.res, e*g.strideC),
		t0: bm * g.tiles / g.rowBlocks, t1: (bm + 1) * g.tiles / g.rowBlocks,
		j0: bn * units / g.panelBlocks * g.unit * panel,
		j1: min((bn+1)*units/g.panelBlocks*g.unit*panel, g.n),
	}
	if g.rows != nil {
		c.a = g.rows.image[e*g.rows.depth:]
	}
	c.run()
}

// gemmBlock is a turn of a gemm: tiles t0 ≤ t < t1 and columns j0 ≤ j < j1.
type gemmBlock struct {
	*gemm
	a, b, dst, bias, res []float32
	t0, t1, j0, j1       int
	k0                   int       // where the part of k at hand begins
	own                  []float32 // a tile's rows of a, close together
	tile                 gemmTile
}

// from is x[at:], nil if x is.
func from(x []float32, at int) []float32 {
	if x == nil {
		return nil
	}
	return x[at:]
}

// row returns the first row of tile t.
func (c *gemmBlock) row(t int) int { return t * c.m / c.tiles }

func (c *gemmBlock) run() {
	parts := max(1, (c.k+blockK-1)/blockK)
	if c.rows != nil {
		parts = c.rows.parts()
	}
	// Many rows whose distance is a multiple of half a page fall into the same few sets of L1.
	packA := c.rows == nil && c.lda%512 == 0 && tileRows() > 4 && c.j1-c.j0 > c.unit*panel
	panelsFirst := c.panelsFirst()
	switch {
	case packA && panelsFirst:
		c.own = scratch.get((c.row(c.t1) - c.row(c.t0)) * (blockK + 32))
	case packA:
		c.own = scratch.get(tileRows() * (blockK + 32))
	}
	for part := range parts {
		c.begin(part, parts)
		if panelsFirst {
			c.runPanels(part, parts)
		} else {
			c.runTiles()
		}
	}
	scratch.put(c.own)
	switch {
	case c.act == ActNone || tileAct(c.act) != 0:
	case c.j1-c.j0 == c.ldc: // the rows are one run
		c.act.apply(c.dst[c.row(c.t0)*c.ldc : c.row(c.t1)*c.ldc])
	default:
		for r := c.row(c.t0); r < c.row(c.t1); r++ {
			c.act.apply(c.dst[r*c.ldc+c.j0 : r*c.ldc+c.j1])
		}
	}
}

// panelsFirst reports whether it is better to have a panel of b multiplied with all rows before the next is read: there
// are several tiles of rows, but more of b than stays near.
func (c *gemmBlock) panelsFirst() bool {
	const near = 1 << 15
	return c.t1-c.t0 > 1 && !c.inPlace && tileRows() > 4 && c.k*(c.j1-c.j0) > near
}

// runTiles goes from tile to tile, and for each over the panels.
func (c *gemmBlock) runTiles() {
	for t := c.t0; t < c.t1; t++ {
		c.setRows(t)
		c.copyRows(t, t+1)
		for j, step := c.j0, c.tilePanels()*panel; j < c.j1; j += step {
			if j+step > c.j1 || c.inPlace && j+step > c.n {
				step = panel
			}
			c.runTile(t, j, step)
		}
	}
}

// runPanels goes from panel to panel, and for each over the tiles. The first two tiles of a panel ask for the halves of
// the next panel.
func (c *gemmBlock) runPanels(part, parts int) {
	first := c.row(c.t0)
	c.copyRows(c.t0, c.t1)
	for j := c.j0; j < c.j1; j += panel {
		next := c.next(part, parts, j+panel)
		half := min(c.tile.k*panel/2, len(next))
		for t := c.t0; t < c.t1; t++ {
			c.setRows(t)
			if c.own != nil {
				c.tile.a = c.own[(c.row(t)-first)*c.tile.lda:]
			}
			switch t - c.t0 {
			case 0:
				c.tile.ahead = next
			case 1:
				c.tile.ahead = next[half:]
			default:
				c.tile.ahead = nil
			}
			c.runTile(t, j, panel)
		}
	}
}

// next is what of b is read after the panel before column j.
func (c *gemmBlock) next(part, parts, j int) []float32 {
	k0 := c.k0
	if j >= c.j1 && part+1 < parts {
		j, k0 = c.j0, c.k0+c.tile.k*max(1, c.tile.runs)
	}
	return c.b[min(j*c.k+k0*panel, len(c.b)):]
}

// tilePanels is how many panels the tiles of the rows at hand take.
func (c *gemmBlock) tilePanels() int {
	if c.rows != nil {
		return 1
	}
	return tilePanels(c.tile.rows)
}

// begin sets up what the tiles of a part of k have in common.
func (c *gemmBlock) begin(part, parts int) {
	if c.rows != nil {
		c.tile = gemmTile{ldc: c.ldc}
		c.k0 = c.rows.part(part, c.a, &c.tile)
	} else {
		c.k0 = part * c.k / parts
		c.tile = gemmTile{ldc: c.ldc, lda: c.lda, k: (part+1)*c.k/parts - c.k0}
	}
	flag := func(on bool, f tileFlags) {
		if on {
			c.tile.flags |= f
		}
	}
	last := part == parts-1
	flag(part > 0 || c.acc, tileAcc)
	flag(last && c.bias != nil, tileBias)
	flag(last && c.res != nil, tileRes)
	flag(last, tileAct(c.act))
}

// setRows turns to the rows of tile t.
func (c *gemmBlock) setRows(t int) {
	r0, r1 := c.row(t), c.row(t+1)
	c.tile.rows = r1 - r0
	if c.rows != nil {
		c.tile.lda = c.rows.locate(c.tile.at[:r1-r0], r0)
	} else if c.own == nil {
		c.tile.a = c.a[r0*c.lda+c.k0:]
	}
}

// copyRows brings the rows of some tiles close together, if that is wanted.
func (c *gemmBlock) copyRows(t0, t1 int) {
	if c.own == nil {
		return
	}
	// An odd number of cache lines apart, rows spread over all sets of L1.
	r0, r1 := c.row(t0), c.row(t1)
	c.tile.lda = (c.tile.k+15)/16*16 | 16
	c.tile.a = c.own
	copyRows(c.own, c.a[r0*c.lda+c.k0:], c.tile.k, r1-r0, c.tile.lda, c.lda)
}

// runTile runs the tile of up to cols columns from j on.
func (c *gemmBlock) runTile(t, j, cols int) {
	tile := &c.tile
	tile.cols = min(cols, c.j1-j)
	switch {
	case !c.inPlace:
		tile.b, tile.ldb, tile.ldp = c.b[j*c.k+c.k0*panel:], panel, panel*c.k
	case j+panel > c.n:
		tile.b, tile.ldb = c.tail[c.k0*panel:], panel
	default:
		tile.b, tile.ldb, tile.ldp = c.b[c.k0*c.ldb+j:], c.ldb, panel
	}
	at := c.row(t)*c.ldc + j
	tile.c = c.dst[at:]
	if tile.flags&tileBias != 0 {
		tile.bias = c.bias[j:]
	}
	if tile.flags&tileRes != 0 {
		tile.res = c.res[at:]
	}
	tile.run()
}
