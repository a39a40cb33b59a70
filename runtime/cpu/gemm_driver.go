package cpu

// gemm is the task of a product. A turn computes a block of rows and panels of one product of the batch, over
// all of k. Turns share no results.
type gemm struct {
	dst, a, b, bias, res []float32
	batch                int
	m, k, n              int
	lda, ldc             int        // from one row of a and of dst to the next
	transA               bool       // a is k×m
	strideA, strideB     int        // from one product's operand to the next
	strideC, strideBias  int        // and of dst, res and bias
	inPlace              bool       // b is k×n and not packed; its rows are
	ldb                  int        // this distance apart, except for
	tail                 []float32  // its last panel if it is not full, which is packed
	packs                bool       // b is not packed, and turns pack the blocks of it that they read
	transB               bool       // with packs: b is n×k
	nbits                nbits      // with packs: b is these weights, which are converted to floats,
	half                 halfPanels // or these, which are packed already
	widen                widening   // with nbits or half: converts them
	acc                  bool       // the product is added to dst
	act                  Act
	rows                 *patches // the rows of a; nil: they are lda apart
	runRows              tileRun  // with rows or transA: runs a tile of them

	tiles, panels          int // of one product
	rowsOfTiles            shares
	unit                   int  // adjacent panels of a turn
	panelsFirst            bool // a panel of b is multiplied with all rows before the next is read
	rowBlocks, panelBlocks int  // turns of one product
}

// A product that needs one of these functions sets it, so that other programs do not have it (linked.go). They keep
// nothing of their arguments.
type (
	tileRun  func(t *gemmTile)
	widening func(c *gemmBlock, j0, j1 int) // of columns j0 to j1-1 of the present part of b, to c.block
)

var gemms freelist[gemm]

const (
	blockK      = 512 // the elements of a tile's row of a that stay in L1, if it has 14 rows
	tileK       = 14 * blockK
	blockPanels = 8       // blockK·blockPanels·panel floats of b stay in L2
	blockRows   = 336     // blockRows·blockK floats of a stay in L2
	nearFloats  = 1 << 15 // floats of b that stay in the cache, whatever else is read
)

// do divides the product into turns and runs them. The sums do not depend on the division.
func (g *gemm) do() {
	rows := tileRowsOf(g.m, g.k, g.n)
	g.tiles = (g.m + rows - 1) / rows
	if g.rows != nil {
		g.tiles = g.rows.tiles(g.m, rows)
	}
	g.rowsOfTiles = sharesOf(g.m, g.tiles)
	g.panels = (g.n + panel - 1) / panel
	g.unit = 1
	if g.tiles == 1 && g.rows == nil {
		g.unit = tilePanels(g.m)
	}
	g.panelsFirst = g.inPanels()
	cost := g.cost()
	g.cut(cost)
	parallel(g.batch*g.rowBlocks*g.panelBlocks, cost, g)
	g.dst, g.a, g.b, g.bias, g.res, g.tail, g.rows, g.half = nil, nil, nil, nil, nil, nil, nil, halfPanels{}
}

// inPanels reports whether it is faster to multiply a panel of b with all rows before the next panel is read:
// there are several tiles of rows, which stay in the cache, and b is too large for it. Panels of halves are widened one
// after the other, also for one tile.
func (g *gemm) inPanels() bool {
	if g.half.isSet() {
		return g.rows != nil || g.m < 2*blockRows
	}
	return g.tiles > 1 && !g.inPlace && !g.packs && tileRows() > 4 && g.k*g.n > nearFloats && (g.rows != nil || g.m < 2*blockRows)
}

// turnsOfThread is the wanted number of a thread's turns, so that none waits long for the last one.
const turnsOfThread = 6

// eachInOneTurn reports whether there are so many products that cut does not divide one.
func (g *gemm) eachInOneTurn() bool { return g.batch >= turnsOfThread*Threads() }

// wholeVectors reports whether micro-kernels read no columns of b behind its last one, also if its last panel is not full.
func (g *gemm) wholeVectors() bool { return g.n%leastColumns(g.transA) == 0 }

// cut computes the number of turns: one, if there are no other threads.
func (g *gemm) cut(cost int) {
	g.rowBlocks, g.panelBlocks = 1, 1
	if g.panelsFirst {
		g.rowBlocks = max(1, g.m/blockRows)
	}
	threads := Threads()
	if threads == 1 {
		return
	}
	const least = 2500 // nanoseconds that a turn should take
	units := (g.panels + g.unit - 1) / g.unit
	for {
		have := g.batch * g.rowBlocks * g.panelBlocks
		if have >= turnsOfThread*threads || cost/have < 2*least {
			return
		}
		rows, cols := g.m/g.rowBlocks, g.n/g.panelBlocks
		if g.panelBlocks < units && (cols >= rows || rows < 2*tileRows()) {
			g.panelBlocks = min(units, 2*g.panelBlocks)
		} else if g.rowBlocks < g.tiles {
			g.rowBlocks = min(g.tiles, 2*g.rowBlocks)
		} else {
			return
		}
	}
}

// inPlace reports whether it is faster to read a k×n matrix, with rows ldb apart, without packing it for a
// product with m rows. If the distance of its rows is a multiple of a page, or of a quarter if tiles have few
// rows, they are in the same few sets of a cache.
func inPlace(m, k, n, ldb int) bool {
	crowd := 256
	if level == AVX512 {
		crowd = 1024
	}
	switch {
	case level == Portable:
		return m == 1
	case k*ldb > 1<<16 && (ldb%crowd == 0 || ldb > n):
		return m <= 32
	default:
		return m <= 512
	}
}

// cost estimates the nanoseconds of the product on one thread. For many rows the computation dominates, for
// few rows reading b.
func (g *gemm) cost() int {
	read := g.k * g.n / 16
	if g.strideB != 0 {
		read *= g.batch
	}
	cols := (g.n + 15) / 16 * 16 // a vector takes as long for one column
	return max(g.batch*g.m*cols*g.k/tileSpeed(), read)
}

// gemmTile is the argument of a micro-kernel: rows×cols elements of c, and the panels of b with these
// columns. Assembly uses the offsets of its fields.
type gemmTile struct {
	a, b, c, bias, res []float32
	lda, ldb, ldc      int // from one row to the next; a row of b is one value of k
	ldp                int // from one panel of b to the next
	k                  int
	rows, cols         int
	flags              tileFlags

	// A row of a may consist of runs instead: the first one begins at a[at[row]] and has k floats, the next
	// one begins steps[0] later, and so on for the given number of runs. In b, k rows of a panel follow for
	// each run. If lda is not 0, the distance of rows is constant, and micro-kernels for that read only
	// at[0].
	runs  int // 0: rows are lda apart, with a[0] the first
	steps []int
	at    [maxTileRows]int

	// What is prefetched. With each value of k, kernels prefetch the line that is aheadStep floats further
	// on; after each aheadRun times four values of k they skip aheadSkip floats.
	ahead                          []float32
	aheadStep, aheadRun, aheadSkip int
}

// maxTileRows is the maximum number of rows of all micro-kernels.
const maxTileRows = 16

// tileFlags are the operations of a micro-kernel after the sums. They are tested in this order.
type tileFlags int

const (
	tileAcc       tileFlags = 1 << iota // the sums begin with the elements of c, not with zero
	tileBias                            // bias is added
	tileRes                             // res, which has c's shape, is added
	tileRelu                            // negative elements become zero
	tileRelu6                           // and elements above 6 become 6
	tileHardSwish                       // x becomes x·max(0, min(1, x/6+1/2))
)

func (g *gemm) run(i int) {
	e, bm, bn := i, 0, 0
	if g.rowBlocks*g.panelBlocks > 1 {
		e, bm, bn = g.turn(i)
	}
	units := (g.panels + g.unit - 1) / g.unit
	c := gemmBlock{
		gemm: g,
		a:    g.a[e*g.strideA:], b: g.b[e*g.strideB:], dst: g.dst[e*g.strideC:],
		bias: from(g.bias, e*g.strideBias), res: from(g.res, e*g.strideC),
		t0: bm * g.tiles / g.rowBlocks, t1: (bm + 1) * g.tiles / g.rowBlocks,
		j0: bn * units / g.panelBlocks * g.unit * panel,
		j1: min((bn+1)*units/g.panelBlocks*g.unit*panel, g.n),
	}
	c.run()
}

// turn returns the block of turn i, if a product has several: rows bm and columns bn of product e. A thread takes consecutive turns.
// These compute the same rows: loops before and after divide their work by rows, too, and threads that write
// to the same rows compete for cache lines. If the right operand is large they compute the same columns
// instead, so that a thread reads few columns.
func (g *gemm) turn(i int) (e, bm, bn int) {
	switch {
	case g.batch > 1 && g.strideC < g.ldc: // products have their rows in common, like groups of channels
		bn, i = i%g.panelBlocks, i/g.panelBlocks
		e, bm = i%g.batch, i/g.batch
	case g.k*g.n > farFloats && g.n > g.m:
		bm, i = i%g.rowBlocks, i/g.rowBlocks
		bn, e = i%g.panelBlocks, i/g.panelBlocks
	default:
		bn, i = i%g.panelBlocks, i/g.panelBlocks
		bm, e = i%g.rowBlocks, i/g.rowBlocks
	}
	return e, bm, bn
}

// from returns x[at:], or nil if x is nil.
func from(x []float32, at int) []float32 {
	if x == nil {
		return nil
	}
	return x[at:]
}
