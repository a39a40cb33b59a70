//go:build amd64 && !purego

package cpu

// runRuns runs a tile whose rows consist of runs.
func (t *gemmTile) runRuns() {
	switch {
	case level == AVX512 && t.cols > 16:
		runsNx32AVX512(t, t.rows)
	case level == AVX512:
		runsNx16AVX512(t, t.rows)
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

// runRuns16AVX2 computes up to half a panel.
func (t *gemmTile) runRuns16AVX2() {
	if t.cols <= 8 {
		runsNx8AVX2(t, t.rows)
		return
	}
	runsNx16AVX2(t, t.rows)
}
