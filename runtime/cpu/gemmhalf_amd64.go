//go:build amd64 && !purego

package cpu

// fewHalves returns the maximum number of rows of a micro-kernel for a b of 16 bits, or 0 if there is none.
func fewHalves() int {
	if level == Portable {
		return 0
	}
	return 3
}

// runStored is run for a b of float16 or bfloat16.
func (t *gemmTile) runStored(bfloat bool) {
	switch {
	case bfloat && level == AVX512 && t.cols > panel:
		bfloatTileNx128AVX512(t, t.rows)
	case bfloat && level == AVX512:
		bfloatTileNx32AVX512(t, t.rows)
	case bfloat && t.cols > panel:
		bfloatTile1x64AVX2(t)
	case bfloat:
		bfloatTileNx32AVX2(t, t.rows)
	case level == AVX512 && t.cols > panel:
		halfTileNx128AVX512(t, t.rows)
	case level == AVX512:
		halfTileNx32AVX512(t, t.rows)
	case t.cols > panel:
		halfTile1x64AVX2(t)
	default:
		halfTileNx32AVX2(t, t.rows)
	}
}
