//go:build amd64 && !purego

package cpu

// wordSpeed returns multiply-adds of words per nanosecond of a thread, roughly.
func wordSpeed() int {
	if level == Portable {
		return 1
	}
	return 90
}

func (t *wordTile) run() {
	if level == Portable {
		t.runGo()
		return
	}
	wordTileNx16AVX2(t, t.rows)
}

func (t *pixelTile8) in() {
	if level == Portable {
		t.inGo()
		return
	}
	winogradIn8AVX2(t)
}

func (t *sumTile8) out() {
	if level == Portable {
		t.outGo()
		return
	}
	winogradOut8AVX2(t)
}
