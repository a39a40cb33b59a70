package cpu

// gemm is the task of a product whose second operand is packed. A turn computes a block of rows and panels of one
// product of the batch, over all of k: turns share nothing.
type gemm struct {
	dst, a, b, bias, res []float32
	batch                int
	m, k, n              int
	strideA, strideB     int  // from one product's operand to the next
	transA               bool // a is k×m
	acc                  bool // dst holds something to add to
	act                  Act

	tiles, panels          int // of one product
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
	g.rowBlocks = max(1, g.m/blockRows)
	g.panelBlocks = (g.panels + blockPanels - 1) / blockPanels
	work := g.batch * g.m * g.n * max(g.k, 1)
	const turns, least = 12, 1 << 18 // wanted turns; multiply-adds that a turn should have
	for {
		have := g.batch * g.rowBlocks * g.panelBlocks
		if have >= turns || work/have < 2*least {
			break
		}
		rows, cols := g.m/g.rowBlocks, g.panels/g.panelBlocks*panel
		switch {
		case cols > panel && (cols >= rows || rows <= 2*tileRows()):
			g.panelBlocks = min(g.panels, 2*g.panelBlocks)
		case g.rowBlocks < g.tiles:
			g.rowBlocks = min(g.tiles, 2*g.rowBlocks)
		default:
			goto cut
		}
	}
cut:
	parallel(g.batch*g.rowBlocks*g.panelBlocks, work/tileSpeed(), g)
	g.dst, g.a, g.b, g.bias, g.res = nil, nil, nil, nil, nil
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
	p0, p1 := bn*g.panels/g.panelBlocks, (bn+1)*g.panels/g.panelBlocks
	a, b := g.a[e*g.strideA:], g.b[e*g.strideB:]
	off := e * g.m * g.n

	// 14 rows whose distance is a multiple of half a page fall into the same few sets of L1.
	packA := g.transA || g.k%512 == 0 && p1-p0 > 1
	var packed []float32
	if packA {
		packed = scratch.get(tileRows() * blockK)
	}
	blocks := max(1, (g.k+blockK-1)/blockK)
	for kb := range blocks {
		k0, k1 := kb*g.k/blocks, (kb+1)*g.k/blocks
		t := gemmTile{ldb: panel, ldc: g.n, ldp: panel * g.k, lda: g.k, k: k1 - k0}
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
			switch {
			case packA && g.transA:
				t.a, t.lda = packed, t.k
				transpose(t.a, a[k0*g.m+r0:], t.k, t.rows, t.k, g.m)
			case packA:
				t.a, t.lda = packed, t.k
				for r := range t.rows {
					copy(t.a[r*t.k:(r+1)*t.k], a[(r0+r)*g.k+k0:])
				}
			default:
				t.a = a[r0*g.k+k0:]
			}
			for p, step := p0, tilePanels(t.rows); p < p1; p += step {
				if p+step > p1 {
					step = 1
				}
				j := p * panel
				t.cols = min(step*panel, g.n-j)
				t.b = b[p*panel*g.k+k0*panel:]
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
