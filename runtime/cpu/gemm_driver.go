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
	packs                bool      // nor is b packed, but turns pack the blocks of it that they come to; or it is
	nibbles              nibbles   // these weights, of which they make floats
	acc                  bool      // dst holds something to add to
	act                  Act
	rows                 *patches // the rows of a; nil: they are lda apart

	tiles, panels          int  // of one product
	unit                   int  // panels that stay together
	panelsFirst            bool // a panel of b is multiplied with all rows before the next is read
	rowBlocks, panelBlocks int  // turns of one product
}

var gemms freelist[gemm]

const (
	blockK      = 512     // a tile's rows of a stay in L1
	blockPanels = 8       // blockK·blockPanels·panel floats of b stay in L2
	blockRows   = 336     // and so do blockRows·blockK of a
	nearFloats  = 1 << 15 // floats of b that stay near, whatever else is read
)

// do cuts the product into turns and runs them. However it is cut, the sums are the same.
func (g *gemm) do() {
	rows := tileRowsOf(g.n)
	g.tiles = (g.m + rows - 1) / rows
	if g.rows != nil {
		g.tiles = g.rows.tiles(g.m, rows)
	}
	g.panels = (g.n + panel - 1) / panel
	g.unit = 1
	if g.tiles == 1 && g.rows == nil {
		g.unit = tilePanels(g.m)
	}
	g.panelsFirst = g.inPanels()
	cost := g.cost()
	g.cut(cost)
	parallel(g.batch*g.rowBlocks*g.panelBlocks, cost, g)
	g.dst, g.a, g.b, g.bias, g.res, g.tail, g.rows = nil, nil, nil, nil, nil, nil, nil
}

// inPanels reports whether it is better to have a panel of b multiplied with all rows before the next is read: there are
// several tiles of rows, which stay near, but more of b than does.
func (g *gemm) inPanels() bool {
	return g.tiles > 1 && !g.inPlace && !g.packs && tileRows() > 4 && g.k*g.n > nearFloats && (g.rows != nil || g.m < 2*blockRows)
}

// cut sets the number of turns: one, if no other thread takes any.
func (g *gemm) cut(cost int) {
	g.rowBlocks, g.panelBlocks = 1, 1
	if g.panelsFirst {
		g.rowBlocks = max(1, g.m/blockRows)
	}
	threads := Threads()
	if threads == 1 {
		return
	}
	const each, least = 6, 2500 // wanted turns of a thread; nanoseconds that a turn should take
	units := (g.panels + g.unit - 1) / g.unit
	for {
		have := g.batch * g.rowBlocks * g.panelBlocks
		if have >= each*threads || cost/have < 2*least {
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

// inPlace reports whether a k×n matrix that m rows are multiplied with is better read where it is, with rows ldb apart,
// than packed first: when packing costs more than it saves. Rows whose distance is a multiple of a page, or of a quarter
// where tiles have few rows, crowd in a cache.
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

// cost returns the nanoseconds that the product takes on one thread, roughly: many rows have to be computed, for few
// b has to be read.
func (g *gemm) cost() int {
	read := g.k * g.n / 16
	if g.strideB != 0 {
		read *= g.batch
	}
	cols := (g.n + 15) / 16 * 16 // a vector takes as long for one column
	return max(g.batch*g.m*cols*g.k/tileSpeed(), read)
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

	// What is read next. With each value of k, kernels ask for the line that is aheadStep floats further on; after each
	// aheadRun times four values of k they leave out aheadSkip floats.
	ahead                          []float32
	aheadStep, aheadRun, aheadSkip int
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
	e, bm, bn := g.turn(i)
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

// turn is what turn i computes: rows bm and columns bn of product e. A thread takes turns that follow each other. Rows come
// first, as loops before and after share them out, too, and as threads are after the same cache lines where they write to the
// same rows. But of a large right operand a thread had better read few columns.
func (g *gemm) turn(i int) (e, bm, bn int) {
	switch {
	case g.batch > 1 && g.strideC < g.ldc: // products have their rows in common, as groups of channels do
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

// from is x[at:], nil if x is.
func from(x []float32, at int) []float32 {
	if x == nil {
		return nil
	}
	return x[at:]
}
