package cpu

// askFor has the kernel ask for what x begins with: 16 floats with each value of k.
func (t *gemmTile) askFor(x []float32) { t.ahead, t.aheadStep, t.aheadRun, t.aheadSkip = x, 16, 0, 0 }

// askForRows has the kernel ask for the first t.k floats of some rows that are ld apart.
func (t *gemmTile) askForRows(x []float32, rows, ld int) {
	t.ahead, t.aheadStep, t.aheadRun, t.aheadSkip = x, rows, t.k/(4*rows), ld-t.k
}

// lookAhead has the kernel at column j ask for some rows of the next tile, so that all kernels between columns j0 and j1
// together ask for all of them.
func (c *gemmBlock) lookAhead(t, j, j0, j1 int) {
	c.tile.ahead = nil
	if c.own == nil || t+1 == c.t1 {
		return
	}
	r := c.row(t + 1)
	rows, panels := c.row(t+2)-r, (j1-j0+panel-1)/panel
	first, end := (j-j0)/panel*rows/panels, ((j-j0)/panel+1)*rows/panels
	switch {
	case first == end:
	case c.all && j0 > c.j0:
		c.tile.askForRows(c.own[(r+first-c.row(c.t0))*c.tile.lda:], end-first, c.tile.lda)
	default:
		c.tile.askForRows(c.a[(r+first)*c.lda+c.k0:], end-first, c.lda)
	}
}
