//go:build amd64 && !purego

package cpu

// evenRows tells whether there are micro-kernels for rows of runs with a constant distance.
const evenRows = true

// runLines runs a tile whose rows consist of runs and are lda apart.
func (t *gemmTile) runLines() {
	switch {
	case level == AVX512 && t.cols > 24:
		linesNx32AVX512(t, t.rows)
	default:
		cols := t.cols
		t.cols = min(cols, 16)
		t.runLines16()
		if cols > 16 {
			t.skip(16)
			t.cols = cols - 16
			t.runLines16()
		}
	}
}

// runLines16 computes up to half a panel.
func (t *gemmTile) runLines16() {
	switch {
	case level == AVX512 && t.cols <= 8:
		linesNx8AVX512(t, t.rows)
	case level == AVX512:
		linesNx16AVX512(t, t.rows)
	case t.cols <= 8:
		linesNx8AVX2(t, t.rows)
	default:
		linesNx16AVX2(t, t.rows)
	}
}
