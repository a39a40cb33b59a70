package cpu

// aheadShares is what the tiles of a panel prefetch, each a share of it. Each value of k asks for as much: a core waits for few lines at
// a time, and loads of the kernel wait behind them.
type aheadShares struct {
	x           []float32
	share, step int
}

// aheadShares divides x among n tiles, of which t has the fewest rows.
func (t *gemmTile) aheadShares(x []float32, n int) aheadShares {
	share, asks := (len(x)+n-1)/n, max(1, t.asks()*t.kernels())
	return aheadShares{x, share, min(16, (share+asks-1)/asks)}
}

// prefetchShare makes the tile's kernels prefetch share i.
func (t *gemmTile) prefetchShare(a aheadShares, i int) {
	t.ahead, t.aheadStep, t.aheadRun, t.aheadSkip = a.x[min(i*a.share, len(a.x)):], a.step, 0, 0
}

// asks returns how often a kernel prefetches.
func (t *gemmTile) asks() int { return t.k &^ 3 * max(1, t.runs) }

// prefetchRows makes the kernel prefetch some rows of width floats that are ld apart, up to the number that its
// steps allow.
func (t *gemmTile) prefetchRows(x []float32, rows, width, ld int) {
	if rows == 0 {
		return
	}
	step := min(16, (rows*width+t.k-1)/t.k)
	t.ahead, t.aheadStep, t.aheadRun, t.aheadSkip = x, step, max(1, width/(4*step)), ld-width
}

// farFloats is the number of floats of a and of the product from which on a tile's rows are not in the cache.
const farFloats = 1 << 19

// prefetchNext makes the kernel at column j prefetch a share of what the next tile needs, so that the kernels of
// columns j0 to j1 prefetch all of it: first the rows of a, at the end those of the product.
func (c *gemmBlock) prefetchNext(t, j, j0, j1 int) {
	c.tile.ahead = nil
	if t+1 == c.t1 && c.nbits.w != nil {
		c.tile.prefetchShare(c.tile.aheadShares(c.nextNBits(j, j0), 1), 0)
		return
	}
	if t+1 == c.t1 || !c.prefetchesRows(j0, j1) {
		return
	}
	i, n := (j-j0)/panel, panelsOf(j0, j1)-prefetchDst
	if i < n {
		c.prefetchA(t+1, i, n, j0)
	} else {
		r, rows := c.part(t+1, i-n, prefetchDst)
		c.tile.prefetchRows(c.dst[r*c.ldc+j0:], rows, j1-j0, c.ldc)
	}
}

// prefetchDst is the number of panels whose kernels prefetch rows of the product; those before prefetch rows of a.
const prefetchDst = 2

// prefetchesRows reports whether kernels of columns j0 to j1-1 prefetch the rows of the next tile: these are not in the cache, and
// there are enough panels.
func (c *gemmBlock) prefetchesRows(j0, j1 int) bool {
	return c.rows == nil && !c.transA && c.m*(c.k+c.n) >= farFloats && panelsOf(j0, j1) >= 2*prefetchDst
}

// panelsOf returns the number of panels of columns j0 to j1-1.
func panelsOf(j0, j1 int) int { return (j1 - j0 + panel - 1) / panel }

// nextNBits returns the weights of few bits that are widened for the next block of panels, or for the next part of k, in the place
// of those of column j.
func (c *gemmBlock) nextNBits(j, j0 int) []float32 {
	next, k0 := j+blockPanels*panel, c.k0
	if j0+blockPanels*panel >= c.j1 {
		next, k0 = c.j0+j-j0, c.k0+c.tile.k
	}
	x := c.nbits.address(next, k0)
	return x[:min(c.tile.k*panel*c.nbits.bits/32, len(x))]
}

// prefetchA makes the kernel prefetch part i of n of the rows that tile t reads, which may have been copied for
// an earlier block.
func (c *gemmBlock) prefetchA(t, i, n, j0 int) {
	r, rows := c.part(t, i, n)
	if c.all && j0 > c.j0 {
		c.tile.prefetchRows(c.own[(r-c.row(c.t0))*c.tile.lda:], rows, c.tile.k, c.tile.lda)
	} else {
		c.tile.prefetchRows(c.a[r*c.lda+c.k0:], rows, c.tile.k, c.lda)
	}
}

// part returns the first row of part i of n of tile t, and the number of its rows.
func (c *gemmBlock) part(t, i, n int) (r, rows int) {
	r, rows = c.row(t), c.row(t+1)-c.row(t)
	return r + i*rows/n, (i+1)*rows/n - i*rows/n
}
