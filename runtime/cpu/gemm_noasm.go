//go:build (!amd64 && !arm64) || purego

package cpu

// evenRows tells whether there are micro-kernels for rows of runs with a constant distance.
const evenRows = false

func tileRows() int { return tileRowsGo }

// tileRowsOf returns the maximum number of rows for a product of any size.
func tileRowsOf(m, k, n int) int { return tileRows() }

func tilePanels(rows int) int { return 1 }

func (t *gemmTile) kernels() int { return 1 }

// tileSpeed returns multiply-adds per nanosecond, roughly.
func tileSpeed() int { return 1 }

// leastColumns returns a number of columns of b whose multiples micro-kernels read as they are.
func leastColumns(transA bool) int { return panel }

// takesColumns reports whether there are micro-kernels for the transpose of a.
func takesColumns(m, n int) bool { return false }

func (t *gemmTile) runColumns() { panic("BUG: there are no micro-kernels for columns of a") }

func (t *gemmTile) run() { t.runGo() }

func (t *gemmTile) runPatches() { t.runGo() }

// tileAct returns the flag with which a micro-kernel applies an activation, or 0 if it cannot.
func tileAct(act Act) tileFlags {
	if act == ActRelu {
		return tileRelu
	}
	return 0
}

func transpose(dst, src []float32, m, n, ldd, lds int) { transposeGo(dst, src, m, n, ldd, lds) }

func packPanel(dst, b []float32, k, cols, ldb int) { packPanelGo(dst, b, k, cols, ldb) }
