//go:build !purego

package cpu

// tileRows returns the most rows that a micro-kernel takes.
func tileRows() int {
	if level == Portable {
		return tileRowsGo
	}
	return 5
}

func tilePanels(rows int) int { return 1 }

// tileSpeed returns multiply-adds per nanosecond, roughly.
func tileSpeed() int {
	if level == Portable {
		return 1
	}
	return 20
}

func (t *gemmTile) run() {
	if level == Portable {
		t.runGo()
		return
	}
	cols := t.cols
	t.cols = min(cols, 16)
	t.run16NEON()
	if cols > 16 {
		t.skip(16)
		t.cols = cols - 16
		t.run16NEON()
	}
}

// run16NEON runs a tile of at most 16 columns. The micro-kernels write all 16: where there are fewer, into a buffer. They
// may read 16 columns of b in any case, since a panel is whole.
func (t *gemmTile) run16NEON() {
	if t.cols == 16 {
		t.sums16NEON()
		return
	}
	var sums [5 * 16]float32
	c, ldc, flags := t.c, t.ldc, t.flags
	if flags&tileAcc != 0 {
		for i := range t.rows {
			copy(sums[16*i:], c[i*ldc:][:t.cols])
		}
	}
	t.c, t.ldc, t.flags = sums[:], 16, flags&tileAcc
	t.sums16NEON()
	t.c, t.ldc, t.flags = c, ldc, flags
	for i := range t.rows {
		for j := range t.cols {
			c[i*ldc+j] = t.finish(sums[16*i+j], i, j)
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
