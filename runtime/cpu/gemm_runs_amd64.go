//go:build amd64 && !purego

package cpu

// runRuns runs a tile whose rows consist of runs.
func (t *gemmTile) runRuns() {
	switch {
	case level == AVX512 && t.cols > 24:
		runsNx32AVX512(t, t.rows)
	default:
		cols := t.cols
		t.cols = min(cols, 16)
		t.runRuns16()
		if cols > 16 {
			t.skip(16)
			t.cols = cols - 16
			t.runRuns16()
		}
	}
}

// runRuns16 computes up to half a panel.
func (t *gemmTile) runRuns16() {
	switch {
	case level == AVX512 && t.cols <= 8:
		runsNx8AVX512(t, t.rows)
	case level == AVX512:
		runsNx16AVX512(t, t.rows)
	case t.cols <= 8:
		runsNx8AVX2(t, t.rows)
	default:
		runsNx16AVX2(t, t.rows)
	}
}
