//go:build amd64 && !purego

package cpu

import "unsafe"

//go:generate env GOWORK=off go -C _asm run ./gemm -out ../gemm_amd64.s

// tileRows returns the maximum number of rows of a micro-kernel.
func tileRows() int { return [...]int{Portable: tileRowsGo, AVX2: 6, AVX512: 14}[level] }

// tileRowsOf returns that number for a product of an m×k matrix and a k×n matrix. With few columns there are registers
// for more rows: eight sums of 16 columns are computed at four fifths of the speed of more (AMD Zen 4), and many images
// are 16 or 32 pixels wide. Micro-kernels of AVX2 with more than three rows read half of each line of b, so where b comes
// from memory, two with few rows are faster than one.
func tileRowsOf(m, k, n int) int {
	switch {
	case level == AVX512 && 8 < n && n <= 16:
		return 16
	case level == AVX2 && n <= 8:
		return 12
	case level == AVX2 && m <= 6 && k*n > remoteFloats:
		return 3
	}
	return tileRows()
}

// remoteFloats is the number of floats of b from which on it comes from memory. With fewer, one micro-kernel of six
// rows was up to 1.2 times as fast as two of three.
const remoteFloats = 1 << 20

// tilePanels returns the number of panels of a micro-kernel with that many rows. With few rows, the sums of
// more columns keep the multipliers busy.
func tilePanels(rows int) int {
	switch {
	case level == AVX512 && rows <= 3:
		return 4
	case level == AVX512 && rows == 4, level == AVX2 && rows == 1:
		return 2
	}
	return 1
}

// tileSpeed returns multiply-adds per nanosecond of a thread, roughly: they decide only how many threads take part. The
// product of 192×192 matrices reaches 2, 38 and 71 on a Cascade Lake of 2.5 GHz, and 2, 56 and 58 on a Zen 4; smaller and
// odd shapes less.
//
// NB: this is not Products of package ir/target. That is what large products reach on the one machine of a target; this is
// for all machines of a level and all shapes, of which most are slower. TestTileSpeed keeps the two near each other.
func tileSpeed() int { return [...]int{Portable: 1, AVX2: 40, AVX512: 50}[level] }

// tileAct returns the flag with which a micro-kernel applies an activation, or 0 if it cannot.
func tileAct(act Act) tileFlags {
	switch {
	case act == ActRelu:
		return tileRelu
	case act == ActRelu6 && level != Portable:
		return tileRelu6
	case act == ActHardSwish && level != Portable:
		return tileHardSwish
	}
	return 0
}

// kernels returns the number of micro-kernels that compute a panel of the tile, one after the other.
func (t *gemmTile) kernels() int {
	if level == AVX2 && (t.rows > 3 || t.runs > 0) {
		return 2
	}
	return 1
}

// run runs a tile whose rows are lda apart.
func (t *gemmTile) run() {
	t.setAhead()
	switch {
	case level == Portable:
		t.runGo()
	case level == AVX512:
		t.runAVX512()
	default:
		t.runAVX2()
	}
}

// runPatches runs a tile whose rows consist of runs.
func (t *gemmTile) runPatches() {
	t.setAhead()
	switch {
	case level == Portable:
		t.runGo()
	case t.lda > 0:
		t.runLines()
	default:
		t.runRuns()
	}
}

// leastColumns returns a number of columns of b whose multiples micro-kernels read as they are. Those of a panel that is not full
// have vectors of 8 or 16 floats with AVX-512; those for the transpose of a have 16.
func leastColumns(transA bool) int {
	switch {
	case level != AVX512:
		return panel
	case transA:
		return 16
	}
	return 8
}

// takesColumns reports whether there are micro-kernels for a product of the transpose of a k×m matrix, with n columns. They
// exist for the numbers of rows that tiles of more than a few rows have.
func takesColumns(m, n int) bool {
	return n > 8 && (level == AVX512 && m >= 8 || level == AVX2 && m > 6)
}

// runColumns runs a tile whose rows are columns of a.
func (t *gemmTile) runColumns() {
	if level == AVX512 && t.cols > 16 {
		columnsNx32AVX512(t, t.rows)
		return
	}
	cols := t.cols
	t.cols = min(cols, 16)
	t.runColumns16()
	if cols > 16 {
		t.skip(16)
		t.cols = cols - 16
		t.runColumns16()
	}
}

// runColumns16 computes up to half a panel.
func (t *gemmTile) runColumns16() {
	if level == AVX512 {
		columnsNx16AVX512(t, t.rows)
	} else {
		columnsNx16AVX2(t, t.rows)
	}
}

// setAhead makes kernels prefetch what is in the cache if nothing is said.
func (t *gemmTile) setAhead() {
	if t.ahead == nil {
		t.ahead, t.aheadStep = t.b, 0
	}
}

func (t *gemmTile) runAVX512() {
	switch {
	case t.cols > panel && t.rows == 4:
		tile4x64AVX512(t)
	case t.cols > panel:
		tileNx128AVX512(t, t.rows)
	case t.cols > 24:
		tileNx32AVX512(t, t.rows)
	default:
		t.runHalves()
	}
}

func (t *gemmTile) runAVX2() {
	switch {
	case t.cols > panel:
		tile1x64AVX2(t)
	case t.cols <= 8:
		tileNx8AVX2(t, t.rows)
	case t.rows <= 3:
		tileNx32AVX2(t, t.rows)
	default:
		t.runHalves()
	}
}

// runHalves computes the halves of a panel.
func (t *gemmTile) runHalves() {
	cols := t.cols
	t.cols = min(cols, 16)
	t.runHalf()
	if cols > 16 {
		t.skip(16)
		t.cols = cols - 16
		t.runHalf()
	}
}

// runHalf computes up to half a panel.
func (t *gemmTile) runHalf() {
	switch {
	case level == AVX512 && t.cols <= 8:
		tileNx8AVX512(t, t.rows)
	case level == AVX512:
		tileNx16AVX512(t, t.rows)
	case t.cols <= 8:
		tileNx8AVX2(t, t.rows)
	default:
		tileNx16AVX2(t, t.rows)
	}
}

// packPanel is [packPanelGo].
func packPanel(dst, b []float32, k, cols, ldb int) {
	if level == Portable || cols < panel || k == 0 {
		packPanelGo(dst, b, k, cols, ldb)
		return
	}
	_, _ = dst[k*panel-1], b[(k-1)*ldb+panel-1]
	packPanelAVX2(unsafe.SliceData(dst), unsafe.SliceData(b), k, ldb)
}

// transpose is [transposeGo].
func transpose(dst, src []float32, m, n, ldd, lds int) {
	if level == Portable || m < 8 || n < 8 {
		transposeGo(dst, src, m, n, ldd, lds)
		return
	}
	m8, n8 := m&^7, n&^7
	_, _ = dst[(n8-1)*ldd+m8-1], src[(m8-1)*lds+n8-1]
	d, s := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	for i := 0; i < m8; i += 8 {
		transposeAVX2((*float32)(unsafe.Add(d, 4*i)), (*float32)(unsafe.Add(s, 4*i*lds)), ldd, lds, n8/8)
	}
	if n8 < n {
		transposeGo(dst[n8*ldd:], src[n8:], m8, n-n8, ldd, lds)
	}
	if m8 < m {
		transposeGo(dst[m8:], src[m8*lds:], m-m8, n, ldd, lds)
	}
}
