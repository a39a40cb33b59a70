//go:build amd64 && !purego

package cpu

// runRuns runs a tile whose rows consist of runs.
func (t *gemmTile) runRuns() {
	switch {
	case level == AVX512 && t.cols > 16:
		t.runRuns32AVX512()
	case level == AVX512:
		t.runRuns16AVX512()
	default:
		cols := t.cols
		t.cols = min(cols, 16)
		t.runRuns16AVX2()
		if cols > 16 {
			t.skip(16)
			t.cols = cols - 16
			t.runRuns16AVX2()
		}
	}
}

func (t *gemmTile) runRuns32AVX512() {
	switch t.rows {
	case 1:
		runs1x32AVX512(t)
	case 2:
		runs2x32AVX512(t)
	case 3:
		runs3x32AVX512(t)
	case 4:
		runs4x32AVX512(t)
	case 5:
		runs5x32AVX512(t)
	case 6:
		runs6x32AVX512(t)
	case 7:
		runs7x32AVX512(t)
	case 8:
		runs8x32AVX512(t)
	case 9:
		runs9x32AVX512(t)
	case 10:
		runs10x32AVX512(t)
	case 11:
		runs11x32AVX512(t)
	case 12:
		runs12x32AVX512(t)
	case 13:
		runs13x32AVX512(t)
	case 14:
		runs14x32AVX512(t)
	}
}

func (t *gemmTile) runRuns16AVX512() {
	switch t.rows {
	case 1:
		runs1x16AVX512(t)
	case 2:
		runs2x16AVX512(t)
	case 3:
		runs3x16AVX512(t)
	case 4:
		runs4x16AVX512(t)
	case 5:
		runs5x16AVX512(t)
	case 6:
		runs6x16AVX512(t)
	case 7:
		runs7x16AVX512(t)
	case 8:
		runs8x16AVX512(t)
	case 9:
		runs9x16AVX512(t)
	case 10:
		runs10x16AVX512(t)
	case 11:
		runs11x16AVX512(t)
	case 12:
		runs12x16AVX512(t)
	case 13:
		runs13x16AVX512(t)
	case 14:
		runs14x16AVX512(t)
	}
}

func (t *gemmTile) runRuns16AVX2() {
	if t.cols <= 8 {
		t.runRuns8AVX2()
		return
	}
	switch t.rows {
	case 1:
		runs1x16AVX2(t)
	case 2:
		runs2x16AVX2(t)
	case 3:
		runs3x16AVX2(t)
	case 4:
		runs4x16AVX2(t)
	case 5:
		runs5x16AVX2(t)
	case 6:
		runs6x16AVX2(t)
	}
}

func (t *gemmTile) runRuns8AVX2() {
	switch t.rows {
	case 1:
		runs1x8AVX2(t)
	case 2:
		runs2x8AVX2(t)
	case 3:
		runs3x8AVX2(t)
	case 4:
		runs4x8AVX2(t)
	case 5:
		runs5x8AVX2(t)
	case 6:
		runs6x8AVX2(t)
	case 7:
		runs7x8AVX2(t)
	case 8:
		runs8x8AVX2(t)
	case 9:
		runs9x8AVX2(t)
	case 10:
		runs10x8AVX2(t)
	case 11:
		runs11x8AVX2(t)
	case 12:
		runs12x8AVX2(t)
	}
}

//go:noescape
func runs1x32AVX512(t *gemmTile)

//go:noescape
func runs2x32AVX512(t *gemmTile)

//go:noescape
func runs3x32AVX512(t *gemmTile)

//go:noescape
func runs4x32AVX512(t *gemmTile)

//go:noescape
func runs5x32AVX512(t *gemmTile)

//go:noescape
func runs6x32AVX512(t *gemmTile)

//go:noescape
func runs7x32AVX512(t *gemmTile)

//go:noescape
func runs8x32AVX512(t *gemmTile)

//go:noescape
func runs9x32AVX512(t *gemmTile)

//go:noescape
func runs10x32AVX512(t *gemmTile)

//go:noescape
func runs11x32AVX512(t *gemmTile)

//go:noescape
func runs12x32AVX512(t *gemmTile)

//go:noescape
func runs13x32AVX512(t *gemmTile)

//go:noescape
func runs14x32AVX512(t *gemmTile)

//go:noescape
func runs1x16AVX512(t *gemmTile)

//go:noescape
func runs2x16AVX512(t *gemmTile)

//go:noescape
func runs3x16AVX512(t *gemmTile)

//go:noescape
func runs4x16AVX512(t *gemmTile)

//go:noescape
func runs5x16AVX512(t *gemmTile)

//go:noescape
func runs6x16AVX512(t *gemmTile)

//go:noescape
func runs7x16AVX512(t *gemmTile)

//go:noescape
func runs8x16AVX512(t *gemmTile)

//go:noescape
func runs9x16AVX512(t *gemmTile)

//go:noescape
func runs10x16AVX512(t *gemmTile)

//go:noescape
func runs11x16AVX512(t *gemmTile)

//go:noescape
func runs12x16AVX512(t *gemmTile)

//go:noescape
func runs13x16AVX512(t *gemmTile)

//go:noescape
func runs14x16AVX512(t *gemmTile)

//go:noescape
func runs1x16AVX2(t *gemmTile)

//go:noescape
func runs2x16AVX2(t *gemmTile)

//go:noescape
func runs3x16AVX2(t *gemmTile)

//go:noescape
func runs4x16AVX2(t *gemmTile)

//go:noescape
func runs5x16AVX2(t *gemmTile)

//go:noescape
func runs6x16AVX2(t *gemmTile)

//go:noescape
func runs1x8AVX2(t *gemmTile)

//go:noescape
func runs2x8AVX2(t *gemmTile)

//go:noescape
func runs3x8AVX2(t *gemmTile)

//go:noescape
func runs4x8AVX2(t *gemmTile)

//go:noescape
func runs5x8AVX2(t *gemmTile)

//go:noescape
func runs6x8AVX2(t *gemmTile)

//go:noescape
func runs7x8AVX2(t *gemmTile)

//go:noescape
func runs8x8AVX2(t *gemmTile)

//go:noescape
func runs9x8AVX2(t *gemmTile)

//go:noescape
func runs10x8AVX2(t *gemmTile)

//go:noescape
func runs11x8AVX2(t *gemmTile)

//go:noescape
func runs12x8AVX2(t *gemmTile)
