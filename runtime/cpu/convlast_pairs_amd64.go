//go:build amd64 && !purego

package cpu

import "unsafe"

//go:generate env GOWORK=off go -C _asm run ./convpairs -out ../convpairs_amd64.s

// The tiles of kernels, as lines and pixels. Both levels have one of a line of four pixels, the smallest: they give the same
// bits.
var (
	pairTiles512 = [][2]int{{1, 16}, {1, 14}, {2, 8}, {2, 7}, {4, 4}, {1, 4}}
	pairTiles256 = [][2]int{{1, 8}, {1, 7}, {2, 4}, {1, 4}}
)

// pairTileOf returns the lines and pixels of a tile for a result of h×w pixels, or 0, 0 if there is none.
func pairTileOf(h, w int) (lines, pixels int) {
	if level == Portable {
		return 0, 0
	}
	tiles := pairTiles256
	if level == AVX512 {
		tiles = pairTiles512
	}
	return leastPairTile(tiles, h, w)
}

// leastPairTile returns the lines and pixels of the tile of a list with which a result of h×w pixels takes the least time.
func leastPairTile(tiles [][2]int, h, w int) (lines, pixels int) {
	const chains = 8 // a tile with fewer sums takes as long: each waits for the one before
	least := 0
	for _, t := range tiles {
		if t[0] > h || t[1] > w {
			continue
		}
		cost := (h + t[0] - 1) / t[0] * ((w + t[1] - 1) / t[1]) * max(chains, t[0]*t[1])
		if least == 0 || cost < least {
			least, lines, pixels = cost, t[0], t[1]
		}
	}
	return lines, pixels
}

// run computes a tile. A vector of AVX2 has four filters of each group.
func (t *pairTile) run(lines, pixels, stride int) {
	if level == AVX512 {
		t.run512(lines, pixels, stride)
		return
	}
	t.run256(lines, pixels, stride)
	second := *t
	second.x, second.w = floatsAfter(t.x, pairDepth), floatsAfter(t.w, pairDepth)
	second.dst = floatsAfter(t.dst, pairDepth/2)
	if t.bias != nil {
		second.bias = floatsAfter(t.bias, pairDepth/2)
	}
	second.run256(lines, pixels, stride)
}

// floatsAfter returns the address of the float n after p.
func floatsAfter(p *float32, n int) *float32 { return (*float32)(unsafe.Add(unsafe.Pointer(p), 4*n)) }

// pairKernel is the tile and the stride of a kernel.
type pairKernel struct{ lines, pixels, stride int }

func (t *pairTile) run512(lines, pixels, stride int) {
	switch (pairKernel{lines, pixels, stride}) {
	case pairKernel{1, 16, 1}:
		pairs1Lines16Stride1AVX512(t)
	case pairKernel{1, 16, 2}:
		pairs1Lines16Stride2AVX512(t)
	case pairKernel{1, 14, 1}:
		pairs1Lines14Stride1AVX512(t)
	case pairKernel{1, 14, 2}:
		pairs1Lines14Stride2AVX512(t)
	case pairKernel{2, 8, 1}:
		pairs2Lines8Stride1AVX512(t)
	case pairKernel{2, 8, 2}:
		pairs2Lines8Stride2AVX512(t)
	case pairKernel{2, 7, 1}:
		pairs2Lines7Stride1AVX512(t)
	case pairKernel{2, 7, 2}:
		pairs2Lines7Stride2AVX512(t)
	case pairKernel{4, 4, 1}:
		pairs4Lines4Stride1AVX512(t)
	case pairKernel{4, 4, 2}:
		pairs4Lines4Stride2AVX512(t)
	case pairKernel{1, 4, 1}:
		pairs1Lines4Stride1AVX512(t)
	case pairKernel{1, 4, 2}:
		pairs1Lines4Stride2AVX512(t)
	default:
		panic("BUG: no kernel has this tile")
	}
}

func (t *pairTile) run256(lines, pixels, stride int) {
	switch (pairKernel{lines, pixels, stride}) {
	case pairKernel{1, 8, 1}:
		pairs1Lines8Stride1AVX2(t)
	case pairKernel{1, 8, 2}:
		pairs1Lines8Stride2AVX2(t)
	case pairKernel{1, 7, 1}:
		pairs1Lines7Stride1AVX2(t)
	case pairKernel{1, 7, 2}:
		pairs1Lines7Stride2AVX2(t)
	case pairKernel{2, 4, 1}:
		pairs2Lines4Stride1AVX2(t)
	case pairKernel{2, 4, 2}:
		pairs2Lines4Stride2AVX2(t)
	case pairKernel{1, 4, 1}:
		pairs1Lines4Stride1AVX2(t)
	case pairKernel{1, 4, 2}:
		pairs1Lines4Stride2AVX2(t)
	default:
		panic("BUG: no kernel has this tile")
	}
}

// alternate copies n > 0 pixels of x, which are step floats apart, as pixels of a pair.
func alternate(dst, x []float32, n, step int) {
	_, _ = dst[n*pairPixel-1], x[(n-1)*step+2*pairDepth-1]
	alternateAtLevel(unsafe.SliceData(dst), unsafe.SliceData(x), n, step)
}
