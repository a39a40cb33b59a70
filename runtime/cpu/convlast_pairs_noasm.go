//go:build !amd64 || purego

package cpu

// pairTileOf returns 0, 0: there are no kernels for pairs.
func pairTileOf(h, w int) (lines, pixels int) { return 0, 0 }

func (t *pairTile) run(lines, pixels, stride int) { panic("BUG: no kernel computes pairs") }

func alternate(dst, x []float32, n, step int) { panic("BUG: no kernel computes pairs") }
