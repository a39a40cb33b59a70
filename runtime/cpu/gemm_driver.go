package cpu

// gemm is the task of a product. A turn computes a block of rows and panels of one
// product of the batch, over all of k: turns share nothing.
type gemm struct {
	dst, a, b, bias, res []float32
	batch                int
	m, k, n              int
	strideA, strideB     int       // from one product's operand to the next
	transA               bool      // a is k×m
	inPlace              bool      // b is k×n, not packed, but for
	tail                 []float32 // its last panel if that is not full: packed
	acc                  bool      // dst holds something to add to
	act                  Act

	tiles, panels          int // of one product
	unit                   int // panels that stay together
	rowBlocks, panelBlocks int // turns of one product
}

var gemms freelist[gemm]

const (
	blockK      = 512 // a tile's rows of a stay in L1
	blockPanels = 16  // blockK·blockPanels·panel floats of b stay in L2
	blockRows   = 336
)

// do cuts the product into turns and runs them. The cut is a function of the shape alone.
func (g *gemm) do() {
	g.tiles = (g.m + tileRows() - 1) / tileRows()
	g.panels = (g.n + panel - 1) / panel
	g.unit = 1
	if g.tiles == 1 {
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
	g.dst, g.a, g.b, g.bias, g.res, g.tail = nil, nil, nil, nil, nil, nil
}

// inPlace reports whether a k×n matrix that m rows are multiplied with is better read where it is than packed first:
// when packing costs more than it saves. Rows whose distance is a multiple of a page quarter crowd in a cache.
func inPlace(m, k, n int) bool {
	switch {
	case level == Portable:
		return m == 1
	case n%256 == 0 && k*n > 1<<16:
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
}

// tileFlags say what a micro-kernel does besides summing. They are tested in this order.
type tileFlags int

const (
	tileAcc  tileFlags = 1 << iota // the sums begin with what c holds, not with zero
	tileBias                       // bias is added
	tileRes                        // res, which has c's shape, is added
	tileRelu                       // what is negative becomes zero
)

// skip moves a tile to the right.
func (t *gemmTile) skip(cols int) {
	t.b, t.c = t.b[cols:], t.c[cols:]
	if t.flags&tileBias != 0 {
		t.bias = t.bias[cols:]
	}
	if t.flags&tileRes != 0 {
		t.res = t.res[cols:]
	}
}

func (g *gemm) run(i int) {
	turns := g.rowBlocks * g.panelBlocks
	e, i := i/turns, i%turns
	bm, bn := i%g.rowBlocks, i/g.rowBlocks
	t0, t1 := bm*g.tiles/g.rowBlocks, (bm+1)*g.tiles/g.rowBlocks
	units := (g.panels + g.unit - 1) / g.unit
	p0, p1 := bn*units/g.panelBlocks*g.unit, min((bn+1)*units/g.panelBlocks*g.unit, g.panels)
	a, b := g.a[e*g.strideA:], g.b[e*g.strideB:]
	off := e * g.m * g.n

	// 14 rows whose distance is a multiple of half a page fall into the same few sets of L1.
	packA := g.k%512 == 0 && tileRows() > 4 && p1-p0 > g.unit
	var packed []float32
	if packA {
		packed = scratch.get(tileRows() * blockK)
	}
	blocks := max(1, (g.k+blockK-1)/blockK)
	for kb := range blocks {
		k0, k1 := kb*g.k/blocks, (kb+1)*g.k/blocks
		t := gemmTile{ldc: g.n, lda: g.k, k: k1 - k0}
		if kb > 0 || g.acc {
			t.flags |= tileAcc
		}
		if kb == blocks-1 {
			if g.bias != nil {
				t.flags |= tileBias
			}
			if g.res != nil {
				t.flags |= tileRes
			}
			if g.act == ActRelu {
				t.flags |= tileRelu
			}
		}
		for ti := t0; ti < t1; ti++ {
			r0, r1 := ti*g.m/g.tiles, (ti+1)*g.m/g.tiles
			t.rows = r1 - r0
			t.a = a[r0*g.k+k0:]
			if packA {
				for r := range t.rows {
					copy(packed[r*t.k:(r+1)*t.k], t.a[r*g.k:])
				}
				t.a, t.lda = packed, t.k
			}
			for p, step := p0, tilePanels(t.rows); p < p1; p += step {
				if p+step > p1 || g.inPlace && (p+step)*panel > g.n {
					step = 1
				}
				j := p * panel
				t.cols = min(step*panel, g.n-j)
				switch {
				case !g.inPlace:
					t.b, t.ldb, t.ldp = b[(p*g.k+k0)*panel:], panel, panel*g.k
				case j+panel > g.n:
					t.b, t.ldb = g.tail[k0*panel:], panel
				default:
					t.b, t.ldb, t.ldp = b[k0*g.n+j:], g.n, panel
				}
				t.c = g.dst[off+r0*g.n+j:]
				if t.flags&tileBias != 0 {
					t.bias = g.bias[j:]
				}
				if t.flags&tileRes != 0 {
					t.res = g.res[off+r0*g.n+j:]
				}
				t.run()
			}
		}
	}
	if packA {
		scratch.put(packed)
	}
	if g.act > ActRelu {
		j0, j1 := p0*panel, min(p1*panel, g.n)
		for r := t0 * g.m / g.tiles; r < t1*g.m/g.tiles; r++ {
			g.act.apply(g.dst[off+r*g.n+j0 : off+r*g.n+j1])
		}
	}
}
