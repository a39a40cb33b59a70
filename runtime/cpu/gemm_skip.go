//go:build (amd64 || arm64) && !purego

package cpu

// skip moves a tile to the right by some columns, and behind what the kernel before has prefetched.
func (t *gemmTile) skip(cols int) {
	t.c = t.c[cols:]
	if n := t.aheadStep * t.asks(); t.aheadRun == 0 && n < len(t.ahead) {
		t.ahead = t.ahead[n:]
	}
	if t.k > 0 { // otherwise b may be empty
		t.b = t.b[cols:]
	}
	if t.flags&tileBias != 0 {
		t.bias = t.bias[cols:]
	}
	if t.flags&tileRes != 0 {
		t.res = t.res[cols:]
	}
}
