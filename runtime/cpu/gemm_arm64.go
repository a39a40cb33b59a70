//go:build !purego

package cpu

// evenRows tells whether there are micro-kernels for rows of runs with a constant distance.
const evenRows = false

// tileRows returns the maximum number of rows of a micro-kernel.
func tileRows() int {
	if level == Portable {
		return tileRowsGo
	}
	return 5
}

// tileRowsOf returns that number for a product of any size.
func tileRowsOf(m, k, n int) int { return tileRows() }

func tilePanels(rows int) int { return 1 }

// kernels returns the number of micro-kernels that prefetch for a panel of the tile. None does.
func (t *gemmTile) kernels() int { return 1 }

// tileSpeed returns multiply-adds per nanosecond of a thread, roughly: they decide only how many threads take part. That
// of NEON is an estimate, as in package ir/target.
func tileSpeed() int {
	if level == Portable {
		return 1
	}
	return 20
}

// tileAct returns the flag with which a micro-kernel applies an activation, or 0 if it cannot.
func tileAct(act Act) tileFlags {
	if act == ActRelu {
		return tileRelu
	}
	return 0
}

// leastColumns returns a number of columns of b whose multiples micro-kernels read as they are.
func leastColumns(transA bool) int { return panel }

// takesColumns reports whether there are micro-kernels for the transpose of a.
func takesColumns(m, n int) bool { return false }

func (t *gemmTile) runColumns() { panic("BUG: there are no micro-kernels for columns of a") }

// run runs a tile whose rows are lda apart.
func (t *gemmTile) run() {
	if level == Portable {
		t.runGo()
		return
	}
	t.runNEON()
}

// runPatches runs a tile whose rows consist of runs.
func (t *gemmTile) runPatches() {
	if level == Portable {
		t.runGo()
		return
	}
	t.runRuns()
}

// runNEON runs a tile of at most a panel.
func (t *gemmTile) runNEON() {
	cols := t.cols
	t.cols = min(cols, 16)
	t.run16NEON()
	if cols > 16 {
		t.skip(16)
		t.cols = cols - 16
		t.run16NEON()
	}
}

// runRuns runs a tile whose rows consist of runs: row by row, run by run.
func (t *gemmTile) runRuns() {
	one := gemmTile{rows: 1, ldb: t.ldb, ldc: t.ldc, k: t.k}
	for i := range t.rows {
		begin := t.flags & tileAcc
		for at, r, b := t.first(i), 0, 0; r >= 0; b += t.k * t.ldb {
			one.a, one.b, one.c, one.cols = t.a[at:], t.b[b:], t.c[i*t.ldc:], t.cols
			one.flags = begin
			if at, r = t.next(at, r); r < 0 {
				one.flags |= t.flags &^ tileAcc
				one.bias, one.res = t.bias, from(t.res, i*t.ldc)
			}
			one.runNEON()
			begin = tileAcc
		}
	}
}

// run16NEON runs a tile of at most 16 columns. The micro-kernels always write 16 columns: if the tile has
// fewer, into a buffer. They may always read 16 columns of b, since a panel is complete.
func (t *gemmTile) run16NEON() {
	if t.cols == 16 {
		t.sums16NEON()
		return
	}
	var sums [5 * 16]float32
	if t.flags&tileAcc != 0 {
		for i := range t.rows {
			copy(sums[16*i:], t.c[i*t.ldc:][:t.cols])
		}
	}
	tail := gemmTile{a: t.a, b: t.b, c: sums[:], lda: t.lda, ldb: t.ldb, ldc: 16, k: t.k, rows: t.rows, flags: t.flags & tileAcc}
	tail.sums16NEON()
	for i := range t.rows {
		for j := range t.cols {
			t.c[i*t.ldc+j] = t.finish(sums[16*i+j], i, j)
		}
	}
}

func (t *gemmTile) sums16NEON() {
	switch t.rows {
	case 1:
		tile1x16NEON(t)
	case 2:
		tile2x16NEON(t)
	case 3:
		tile3x16NEON(t)
	case 4:
		tile4x16NEON(t)
	case 5:
		tile5x16NEON(t)
	}
}

func transpose(dst, src []float32, m, n, ldd, lds int) { transposeGo(dst, src, m, n, ldd, lds) }

func packPanel(dst, b []float32, k, cols, ldb int) { packPanelGo(dst, b, k, cols, ldb) }

//go:noescape
func tile1x16NEON(t *gemmTile)

//go:noescape
func tile2x16NEON(t *gemmTile)

//go:noescape
func tile3x16NEON(t *gemmTile)

//go:noescape
func tile4x16NEON(t *gemmTile)

//go:noescape
func tile5x16NEON(t *gemmTile)
