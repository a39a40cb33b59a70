package cpu

// gemmBlock is a turn of a gemm: tiles t0 ≤ t < t1 and columns j0 ≤ j < j1.
type gemmBlock struct {
	*gemm
	a, b, dst, bias, res []float32
	t0, t1, j0, j1       int
	most                 int       // the elements of a part of k
	k0                   int       // where the present part of k begins
	own                  []float32 // copied rows of a, with small gaps: those of a tile
	all                  bool      // or those of all tiles
	block                []float32 // packed panels of b, for the part of k, if turns pack
	j                    int       // the first column of block
	rowsOf               int       // the rows of its panels
	skipped              int       // the rows of its panels before the part of k
	columns              []float32 // of b, from the present panel on
	cols                 int       // how many of them
	tile                 gemmTile
	first                int // row of the tile
}

// row returns the first row of tile t.
func (c *gemmBlock) row(t int) int { return c.rowsOfTiles.first(t) }

func (c *gemmBlock) run() {
	c.most = c.depthOfParts()
	parts := max(1, (c.k+c.most-1)/c.most)
	if c.rows != nil {
		parts = c.rows.parts()
	}
	c.makeRoom()
	for part := range parts {
		c.begin(part, parts)
		if c.panelsFirst {
			c.runPanels(part, parts)
		} else {
			c.runTiles()
		}
	}
	scratch.put(c.own)
	scratch.put(c.block)
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

// depthOfParts returns how many elements of k are multiplied before the next panel of b is read. With few rows a part is longer, as long as
// those of a tile stay in L1 and all of them in L2: then panels that come from memory are read in longer runs, and sums are stored less often.
func (c *gemmBlock) depthOfParts() int {
	rows := c.row(c.t1) - c.row(c.t0)
	if c.packs || c.inPlace || rows == 0 || c.tiles > 1 && !c.panelsFirst {
		return blockK
	}
	return max(blockK, min(tileK/min(rows, tileRows()), blockRows*blockK/rows))
}

// makeRoom allocates memory for copies of rows. Rows are copied if their distance is a multiple of a page:
// they would be in the same few sets of L1, but are read for each panel.
func (c *gemmBlock) makeRoom() {
	if c.rows != nil || c.transA || c.lda%1024 != 0 || tileRows() <= 4 || c.j1-c.j0 <= c.unit*panel {
		return
	}
	rows := tileRows()
	if c.all = c.panelsFirst || c.j1-c.j0 > 2*blockPanels*panel; c.all {
		rows = c.row(c.t1) - c.row(c.t0)
	}
	c.own = scratch.get(rows * (min(c.k, c.most) + 32))
}

// runTiles iterates over the tiles, and for each over some panels, which stay in L2.
func (c *gemmBlock) runTiles() {
	for j0 := c.j0; j0 < c.j1; j0 += blockPanels * panel {
		j1 := min(j0+blockPanels*panel, c.j1)
		c.pack(j0, j1)
		if n := c.group(j0, j1); n > 1 {
			c.runGroups(n, j0, j1)
			continue
		}
		for t := c.t0; t < c.t1; t++ {
			if !c.all || j0 == c.j0 {
				c.copyRows(t, t+1)
			}
			c.setRows(t)
			for j, step := j0, c.tilePanels()*panel; j < j1; j += step {
				if j+step > j1 || c.inPlace && j+step > c.n {
					step = panel
				}
				c.prefetchNext(t, j, j0, j1)
				c.setPanel(j, step)
				c.runTile(j)
			}
		}
	}
}

// group returns how many tiles are multiplied with a panel of columns j0 to j1-1 before the next one: those whose rows stay in L1
// together. With a k of few elements a tile takes not much longer than to prepare it.
func (c *gemmBlock) group(j0, j1 int) int {
	if c.rows != nil || c.own != nil || c.nbits.w != nil || c.prefetchesRows(j0, j1) {
		return 1
	}
	return min(c.t1-c.t0, groupFloats/max(1, c.tile.k*tileRows()))
}

// groupFloats is the floats of a group's rows of a: half of the smallest L1.
const groupFloats = 4096

// runGroups is runTiles for groups of n tiles, of which nothing is copied or prefetched.
func (c *gemmBlock) runGroups(n, j0, j1 int) {
	c.tile.ahead = nil
	for t0 := c.t0; t0 < c.t1; t0 += n {
		for j := j0; j < j1; j += panel {
			c.setPanel(j, panel)
			for t := t0; t < min(t0+n, c.t1); t++ {
				c.setRows(t)
				c.runTile(j)
			}
		}
	}
}

// pack packs columns j0 to j1-1 of the present part of b, if turns pack.
func (c *gemmBlock) pack(j0, j1 int) {
	if !c.packs {
		return
	}
	if c.block == nil {
		c.block = scratch.get((blockK + 2*maxNBitsWord) * PackB32Size(1, min(c.j1-c.j0, blockPanels*panel)))
	}
	c.j, c.rowsOf, c.skipped = j0, c.depth(), 0
	if c.widen != nil {
		c.widen(unescaped(c), j0, j1)
		return
	}
	for j := j0; j < j1; j += panel {
		block := c.block[(j-j0)*c.tile.k:][:panel*c.tile.k]
		if c.transB {
			packPanelT(block, c.b[j*c.ldb+c.k0:], c.tile.k, min(panel, j1-j), c.ldb)
		} else {
			packPanel(block, c.b[c.k0*c.ldb+j:], c.tile.k, min(panel, j1-j), c.ldb)
		}
	}
}

// depth returns the rows of b in the present part of k.
func (c *gemmBlock) depth() int { return c.tile.k * max(1, c.tile.runs) }

// widenHalves is the [widening] of panels of 16 bits.
func (c *gemmBlock) widenHalves(j0, j1 int) {
	for j := j0; j < j1; j += panel {
		c.half.widen(c.block[(j-j0)*c.rowsOf:][:panel*c.rowsOf], j*c.k+c.k0*panel)
	}
}

// widenNBits is the [widening] of weights of 4 or 8 bits, whose words contain several rows.
func (c *gemmBlock) widenNBits(j0, j1 int) {
	word := nbitsWord(c.nbits.bits)
	k0, k1 := c.k0/word*word, (c.k0+c.tile.k+word-1)/word*word
	c.rowsOf, c.skipped = k1-k0, c.k0-k0
	for j := j0; j < j1; j += panel {
		c.nbits.widen(c.block[(j-j0)*c.rowsOf:], j, k0, k1)
	}
}

// runPanels iterates over the panels, and for each over the tiles. Each tile prefetches its share of the next panel.
func (c *gemmBlock) runPanels(part, parts int) {
	c.copyRows(c.t0, c.t1)
	for j := c.j0; j < c.j1; j += panel {
		c.pack(j, j+panel)
		c.setPanel(j, panel)
		c.tile.rows = c.row(c.t0+1) - c.row(c.t0) // the fewest
		next := c.tile.aheadShares(c.next(part, parts, j+panel), c.t1-c.t0)
		for t := c.t0; t < c.t1; t++ {
			c.setRows(t)
			c.tile.prefetchShare(next, t-c.t0)
			c.runTile(j)
		}
	}
}

// next returns the part of b that is read after the panel before column j.
func (c *gemmBlock) next(part, parts, j int) []float32 {
	k0, size := c.k0, c.depth()*panel
	if j >= c.j1 && part+1 < parts {
		j, k0 = c.j0, c.k0+c.depth()
	}
	var x []float32
	if c.half.isSet() {
		x, size = c.half.address(j*c.k+k0*panel), size/2
	} else {
		x = c.b[min(j*c.k+k0*panel, len(c.b)):]
	}
	return x[:min(size, len(x))]
}

// tilePanels returns the number of panels of the present tile.
func (c *gemmBlock) tilePanels() int {
	if c.rows != nil {
		return 1
	}
	return tilePanels(c.tile.rows)
}

// begin sets the fields that all tiles of a part of k have in common.
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

// setRows sets the rows of tile t.
func (c *gemmBlock) setRows(t int) {
	r0, r1 := c.row(t), c.row(t+1)
	c.tile.rows, c.first = r1-r0, r0
	if c.rows != nil {
		c.tile.lda = c.rows.locate(c.tile.at[:r1-r0], r0)
	} else if c.transA {
		c.tile.a = c.a[c.k0*c.lda+r0:]
	} else if c.own == nil {
		c.tile.a = c.a[r0*c.lda+c.k0:]
	} else if c.all {
		c.tile.a = c.own[(r0-c.row(c.t0))*c.tile.lda:]
	}
}

// copyRows copies the rows of some tiles to adjacent memory, if there is memory for that.
func (c *gemmBlock) copyRows(t0, t1 int) {
	if c.own == nil {
		return
	}
	// With an odd number of cache lines between them, rows are spread over all sets of L1.
	r0, r1 := c.row(t0), c.row(t1)
	c.tile.lda = (c.tile.k+15)/16*16 | 16
	c.tile.a = c.own
	if c.all {
		c.tile.a = c.own[(r0-c.row(c.t0))*c.tile.lda:]
	}
	copyRows(c.tile.a, c.a[r0*c.lda+c.k0:], c.tile.k, r1-r0, c.tile.lda, c.lda)
}

// setPanel sets the columns of the following tiles: up to cols from j on.
func (c *gemmBlock) setPanel(j, cols int) {
	c.cols = min(cols, c.j1-j)
	tile := &c.tile
	switch {
	case c.packs:
		c.columns, tile.ldb, tile.ldp = c.block[(j-c.j)*c.rowsOf+c.skipped*panel:], panel, panel*c.rowsOf
	case !c.inPlace:
		c.columns, tile.ldb, tile.ldp = c.b[j*c.k+c.k0*panel:], panel, panel*c.k
	case c.tail != nil && j+panel > c.n:
		c.columns, tile.ldb = c.tail[c.k0*panel:], panel
	default:
		c.columns, tile.ldb, tile.ldp = c.b[c.k0*c.ldb+j:], c.ldb, panel
	}
}

// runTile runs the tile of setRows for the columns of setPanel, of which j is the first.
func (c *gemmBlock) runTile(j int) {
	tile := &c.tile
	tile.b, tile.cols = c.columns, c.cols
	at := c.first*c.ldc + j
	tile.c = c.dst[at:]
	if tile.flags&tileBias != 0 {
		tile.bias = c.bias[j:]
	}
	if tile.flags&tileRes != 0 {
		tile.res = c.res[at:]
	}
	if c.runRows != nil {
		c.runRows(unescaped(tile))
	} else {
		tile.run()
	}
}
