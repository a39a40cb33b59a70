//go:build amd64 && !purego

package cpu

import "unsafe"

//go:generate env GOWORK=off go -C _asm run ./gemm -out ../gemm_amd64.s

// tileRows returns the maximum number of rows of a micro-kernel.
func tileRows() int { return [...]int{Portable: tileRowsGo, AVX2: 6, AVX512: 14}[level] }

// tileRowsOf returns that number for a product of an m×k matrix and a k×n matrix. Micro-kernels of AVX2 with more
// than three rows read half of each line of b, so where b comes from memory, two with few rows are faster than one.
func tileRowsOf(m, k, n int) int {
	switch {
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

// tileSpeed returns multiply-adds per nanosecond, roughly.
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

func (t *gemmTile) run() {
	if t.ahead == nil {
		t.ahead, t.aheadStep = t.b, 0
	}
	switch {
	case level == Portable:
		t.runGo()
	case t.runs > 0 && t.lda > 0:
		t.runLines()
	case t.runs > 0:
		t.runRuns()
	case level == AVX512:
		t.runAVX512()
	default:
		t.runAVX2()
	}
}

func (t *gemmTile) runAVX512() {
	if t.cols > panel {
		switch t.rows {
		case 1:
			tile1x128AVX512(t)
		case 2:
			tile2x128AVX512(t)
		case 3:
			tile3x128AVX512(t)
		case 4:
			tile4x64AVX512(t)
		}
		return
	}
	if t.cols <= 16 {
		t.run16AVX512()
		return
	}
	switch t.rows {
	case 1:
		tile1x32AVX512(t)
	case 2:
		tile2x32AVX512(t)
	case 3:
		tile3x32AVX512(t)
	case 4:
		tile4x32AVX512(t)
	case 5:
		tile5x32AVX512(t)
	case 6:
		tile6x32AVX512(t)
	case 7:
		tile7x32AVX512(t)
	case 8:
		tile8x32AVX512(t)
	case 9:
		tile9x32AVX512(t)
	case 10:
		tile10x32AVX512(t)
	case 11:
		tile11x32AVX512(t)
	case 12:
		tile12x32AVX512(t)
	case 13:
		tile13x32AVX512(t)
	case 14:
		tile14x32AVX512(t)
	}
}

// run16AVX512 computes up to half a panel.
func (t *gemmTile) run16AVX512() {
	switch t.rows {
	case 1:
		tile1x16AVX512(t)
	case 2:
		tile2x16AVX512(t)
	case 3:
		tile3x16AVX512(t)
	case 4:
		tile4x16AVX512(t)
	case 5:
		tile5x16AVX512(t)
	case 6:
		tile6x16AVX512(t)
	case 7:
		tile7x16AVX512(t)
	case 8:
		tile8x16AVX512(t)
	case 9:
		tile9x16AVX512(t)
	case 10:
		tile10x16AVX512(t)
	case 11:
		tile11x16AVX512(t)
	case 12:
		tile12x16AVX512(t)
	case 13:
		tile13x16AVX512(t)
	case 14:
		tile14x16AVX512(t)
	}
}

func (t *gemmTile) runAVX2() {
	if t.cols > panel {
		tile1x64AVX2(t)
		return
	}
	if t.cols <= 8 {
		t.run8AVX2()
		return
	}
	switch t.rows {
	case 1:
		tile1x32AVX2(t)
	case 2:
		tile2x32AVX2(t)
	case 3:
		tile3x32AVX2(t)
	default:
		cols := t.cols
		t.cols = min(cols, 16)
		t.run16AVX2()
		if cols > 16 {
			t.skip(16)
			t.cols = cols - 16
			t.run16AVX2()
		}
	}
}

func (t *gemmTile) run16AVX2() {
	if t.cols <= 8 {
		t.run8AVX2()
		return
	}
	switch t.rows {
	case 4:
		tile4x16AVX2(t)
	case 5:
		tile5x16AVX2(t)
	case 6:
		tile6x16AVX2(t)
	}
}

// run8AVX2 computes up to a vector.
func (t *gemmTile) run8AVX2() {
	switch t.rows {
	case 1:
		tile1x8AVX2(t)
	case 2:
		tile2x8AVX2(t)
	case 3:
		tile3x8AVX2(t)
	case 4:
		tile4x8AVX2(t)
	case 5:
		tile5x8AVX2(t)
	case 6:
		tile6x8AVX2(t)
	case 7:
		tile7x8AVX2(t)
	case 8:
		tile8x8AVX2(t)
	case 9:
		tile9x8AVX2(t)
	case 10:
		tile10x8AVX2(t)
	case 11:
		tile11x8AVX2(t)
	case 12:
		tile12x8AVX2(t)
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
		for j := 0; j < n8; j += 8 {
			transposeAVX2((*float32)(unsafe.Add(d, 4*(j*ldd+i))), (*float32)(unsafe.Add(s, 4*(i*lds+j))), ldd, lds)
		}
	}
	if n8 < n {
		transposeGo(dst[n8*ldd:], src[n8:], m8, n-n8, ldd, lds)
	}
	if m8 < m {
		transposeGo(dst[m8:], src[m8*lds:], m-m8, n, ldd, lds)
	}
}

//go:noescape
func tile1x32AVX512(t *gemmTile)

//go:noescape
func tile2x32AVX512(t *gemmTile)

//go:noescape
func tile3x32AVX512(t *gemmTile)

//go:noescape
func tile4x32AVX512(t *gemmTile)

//go:noescape
func tile5x32AVX512(t *gemmTile)

//go:noescape
func tile6x32AVX512(t *gemmTile)

//go:noescape
func tile7x32AVX512(t *gemmTile)

//go:noescape
func tile8x32AVX512(t *gemmTile)

//go:noescape
func tile9x32AVX512(t *gemmTile)

//go:noescape
func tile10x32AVX512(t *gemmTile)

//go:noescape
func tile11x32AVX512(t *gemmTile)

//go:noescape
func tile12x32AVX512(t *gemmTile)

//go:noescape
func tile13x32AVX512(t *gemmTile)

//go:noescape
func tile14x32AVX512(t *gemmTile)

//go:noescape
func tile1x16AVX512(t *gemmTile)

//go:noescape
func tile2x16AVX512(t *gemmTile)

//go:noescape
func tile3x16AVX512(t *gemmTile)

//go:noescape
func tile4x16AVX512(t *gemmTile)

//go:noescape
func tile5x16AVX512(t *gemmTile)

//go:noescape
func tile6x16AVX512(t *gemmTile)

//go:noescape
func tile7x16AVX512(t *gemmTile)

//go:noescape
func tile8x16AVX512(t *gemmTile)

//go:noescape
func tile9x16AVX512(t *gemmTile)

//go:noescape
func tile10x16AVX512(t *gemmTile)

//go:noescape
func tile11x16AVX512(t *gemmTile)

//go:noescape
func tile12x16AVX512(t *gemmTile)

//go:noescape
func tile13x16AVX512(t *gemmTile)

//go:noescape
func tile14x16AVX512(t *gemmTile)

//go:noescape
func tile1x128AVX512(t *gemmTile)

//go:noescape
func tile2x128AVX512(t *gemmTile)

//go:noescape
func tile3x128AVX512(t *gemmTile)

//go:noescape
func tile4x64AVX512(t *gemmTile)

//go:noescape
func tile1x64AVX2(t *gemmTile)

//go:noescape
func tile1x32AVX2(t *gemmTile)

//go:noescape
func tile2x32AVX2(t *gemmTile)

//go:noescape
func tile3x32AVX2(t *gemmTile)

//go:noescape
func tile4x16AVX2(t *gemmTile)

//go:noescape
func tile5x16AVX2(t *gemmTile)

//go:noescape
func tile6x16AVX2(t *gemmTile)

//go:noescape
func transposeAVX2(dst, src *float32, ldd, lds int)

//go:noescape
func packPanelAVX2(dst, b *float32, k, ldb int)

//go:noescape
func tile1x8AVX2(t *gemmTile)

//go:noescape
func tile2x8AVX2(t *gemmTile)

//go:noescape
func tile3x8AVX2(t *gemmTile)

//go:noescape
func tile4x8AVX2(t *gemmTile)

//go:noescape
func tile5x8AVX2(t *gemmTile)

//go:noescape
func tile6x8AVX2(t *gemmTile)

//go:noescape
func tile7x8AVX2(t *gemmTile)

//go:noescape
func tile8x8AVX2(t *gemmTile)

//go:noescape
func tile9x8AVX2(t *gemmTile)

//go:noescape
func tile10x8AVX2(t *gemmTile)

//go:noescape
func tile11x8AVX2(t *gemmTile)

//go:noescape
func tile12x8AVX2(t *gemmTile)
