//go:build amd64 && !purego

package cpu

// evenRows tells whether there are micro-kernels for rows of runs with a constant distance.
const evenRows = true

// runLines runs a tile whose rows consist of runs and are lda apart.
func (t *gemmTile) runLines() {
	switch {
	case level == AVX512 && t.cols > 16:
		t.runLines32AVX512()
	case level == AVX512:
		t.runLines16AVX512()
	default:
		cols := t.cols
		t.cols = min(cols, 16)
		t.runLines16AVX2()
		if cols > 16 {
			t.skip(16)
			t.cols = cols - 16
			t.runLines16AVX2()
		}
	}
}

func (t *gemmTile) runLines32AVX512() {
	switch t.rows {
	case 1:
		lines1x32AVX512(t)
	case 2:
		lines2x32AVX512(t)
	case 3:
		lines3x32AVX512(t)
	case 4:
		lines4x32AVX512(t)
	case 5:
		lines5x32AVX512(t)
	case 6:
		lines6x32AVX512(t)
	case 7:
		lines7x32AVX512(t)
	case 8:
		lines8x32AVX512(t)
	case 9:
		lines9x32AVX512(t)
	case 10:
		lines10x32AVX512(t)
	case 11:
		lines11x32AVX512(t)
	case 12:
		lines12x32AVX512(t)
	case 13:
		lines13x32AVX512(t)
	case 14:
		lines14x32AVX512(t)
	}
}

func (t *gemmTile) runLines16AVX512() {
	switch t.rows {
	case 1:
		lines1x16AVX512(t)
	case 2:
		lines2x16AVX512(t)
	case 3:
		lines3x16AVX512(t)
	case 4:
		lines4x16AVX512(t)
	case 5:
		lines5x16AVX512(t)
	case 6:
		lines6x16AVX512(t)
	case 7:
		lines7x16AVX512(t)
	case 8:
		lines8x16AVX512(t)
	case 9:
		lines9x16AVX512(t)
	case 10:
		lines10x16AVX512(t)
	case 11:
		lines11x16AVX512(t)
	case 12:
		lines12x16AVX512(t)
	case 13:
		lines13x16AVX512(t)
	case 14:
		lines14x16AVX512(t)
	}
}

func (t *gemmTile) runLines16AVX2() {
	if t.cols <= 8 {
		t.runLines8AVX2()
		return
	}
	switch t.rows {
	case 1:
		lines1x16AVX2(t)
	case 2:
		lines2x16AVX2(t)
	case 3:
		lines3x16AVX2(t)
	case 4:
		lines4x16AVX2(t)
	case 5:
		lines5x16AVX2(t)
	case 6:
		lines6x16AVX2(t)
	}
}

func (t *gemmTile) runLines8AVX2() {
	switch t.rows {
	case 1:
		lines1x8AVX2(t)
	case 2:
		lines2x8AVX2(t)
	case 3:
		lines3x8AVX2(t)
	case 4:
		lines4x8AVX2(t)
	case 5:
		lines5x8AVX2(t)
	case 6:
		lines6x8AVX2(t)
	case 7:
		lines7x8AVX2(t)
	case 8:
		lines8x8AVX2(t)
	case 9:
		lines9x8AVX2(t)
	case 10:
		lines10x8AVX2(t)
	case 11:
		lines11x8AVX2(t)
	case 12:
		lines12x8AVX2(t)
	}
}

//go:noescape
func lines1x32AVX512(t *gemmTile)

//go:noescape
func lines2x32AVX512(t *gemmTile)

//go:noescape
func lines3x32AVX512(t *gemmTile)

//go:noescape
func lines4x32AVX512(t *gemmTile)

//go:noescape
func lines5x32AVX512(t *gemmTile)

//go:noescape
func lines6x32AVX512(t *gemmTile)

//go:noescape
func lines7x32AVX512(t *gemmTile)

//go:noescape
func lines8x32AVX512(t *gemmTile)

//go:noescape
func lines9x32AVX512(t *gemmTile)

//go:noescape
func lines10x32AVX512(t *gemmTile)

//go:noescape
func lines11x32AVX512(t *gemmTile)

//go:noescape
func lines12x32AVX512(t *gemmTile)

//go:noescape
func lines13x32AVX512(t *gemmTile)

//go:noescape
func lines14x32AVX512(t *gemmTile)

//go:noescape
func lines1x16AVX512(t *gemmTile)

//go:noescape
func lines2x16AVX512(t *gemmTile)

//go:noescape
func lines3x16AVX512(t *gemmTile)

//go:noescape
func lines4x16AVX512(t *gemmTile)

//go:noescape
func lines5x16AVX512(t *gemmTile)

//go:noescape
func lines6x16AVX512(t *gemmTile)

//go:noescape
func lines7x16AVX512(t *gemmTile)

//go:noescape
func lines8x16AVX512(t *gemmTile)

//go:noescape
func lines9x16AVX512(t *gemmTile)

//go:noescape
func lines10x16AVX512(t *gemmTile)

//go:noescape
func lines11x16AVX512(t *gemmTile)

//go:noescape
func lines12x16AVX512(t *gemmTile)

//go:noescape
func lines13x16AVX512(t *gemmTile)

//go:noescape
func lines14x16AVX512(t *gemmTile)

//go:noescape
func lines1x16AVX2(t *gemmTile)

//go:noescape
func lines2x16AVX2(t *gemmTile)

//go:noescape
func lines3x16AVX2(t *gemmTile)

//go:noescape
func lines4x16AVX2(t *gemmTile)

//go:noescape
func lines5x16AVX2(t *gemmTile)

//go:noescape
func lines6x16AVX2(t *gemmTile)

//go:noescape
func lines1x8AVX2(t *gemmTile)

//go:noescape
func lines2x8AVX2(t *gemmTile)

//go:noescape
func lines3x8AVX2(t *gemmTile)

//go:noescape
func lines4x8AVX2(t *gemmTile)

//go:noescape
func lines5x8AVX2(t *gemmTile)

//go:noescape
func lines6x8AVX2(t *gemmTile)

//go:noescape
func lines7x8AVX2(t *gemmTile)

//go:noescape
func lines8x8AVX2(t *gemmTile)

//go:noescape
func lines9x8AVX2(t *gemmTile)

//go:noescape
func lines10x8AVX2(t *gemmTile)

//go:noescape
func lines11x8AVX2(t *gemmTile)

//go:noescape
func lines12x8AVX2(t *gemmTile)
