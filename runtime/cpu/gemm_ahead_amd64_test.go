//go:build amd64 && !purego

package cpu

import "testing"

// The kernels of all tiles together prefetch each line of the next panel, and none prefetches much more than its share.
func TestPrefetchShares(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, runs := range []int{0, 3} {
			for n := 2; n <= 40; n++ {
				prefetchShares(t, gemmTile{k: 96, rows: tileRows(), runs: runs}, n)
			}
		}
	})
}

// prefetchShares tests n tiles of a product.
func prefetchShares(t *testing.T, tile gemmTile, n int) {
	x := make([]float32, tile.asks()*panel)
	asked := make([]bool, len(x)/16)
	shares := tile.aheadShares(x, n)
	for i := range n {
		tile.prefetchShare(shares, i)
		tile.b, tile.c = make([]float32, panel), make([]float32, panel)
		lines := map[int]bool{}
		for range tile.kernels() {
			for j := range tile.asks() {
				if at := len(x) - len(tile.ahead) + j*tile.aheadStep; at < len(x) {
					lines[at/16] = true
				}
			}
			tile.skip(panel / tile.kernels())
		}
		for line := range lines {
			asked[line] = true
		}
		if most := len(asked)/n*5/4 + tile.asks()*tile.kernels()/16 + 2; len(lines) > most {
			t.Errorf("%d runs, tile %d of %d prefetches %d lines of %d, want %d at most", tile.runs, i, n, len(lines), len(asked), most)
		}
	}
	for line, ok := range asked {
		if !ok {
			t.Fatalf("%d runs, %d tiles: no tile prefetches line %d of %d", tile.runs, n, line, len(asked))
		}
	}
}
