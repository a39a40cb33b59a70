//go:build amd64 && !purego

package cpu

import "unsafe"

//go:generate env GOWORK=off go -C _asm run ./nbits -out ../nbits_amd64.s

// quantizeWholeNBits is [quantizeNBits] of the first blocks of x, and returns their number: all that are whole, or none.
func quantizeWholeNBits(dst []byte, x []float32, q []nbitsBlock, block, bits int) int {
	n := len(x) / block
	if level == Portable || block%16 != 0 || n == 0 {
		return 0
	}
	_, _ = dst[n*block-1], q[n-1]
	d, s, to := unsafe.SliceData(dst), unsafe.SliceData(x), unsafe.SliceData(q)
	switch bits {
	case 4:
		nbits4QuantizeAVX2(d, s, to, n, block)
	case 8:
		nbits8QuantizeAVX2(d, s, to, n, block)
	default:
		return 0
	}
	return n
}

// row is [nbitsPanel.rowGo].
func (t *nbitsPanel) row() {
	switch {
	case level == Portable:
		t.rowGo()
	case level == AVX512 && t.bits == 8:
		nbits8RowAVX512(t)
	case level == AVX512:
		nbits4RowAVX512(t)
	case t.bits == 8:
		nbits8RowAVX2(t)
	default:
		nbits4RowAVX2(t)
	}
}

// floats is [nbitsPanel.floatsGo].
func (t *nbitsPanel) floats() {
	switch {
	case level == Portable:
		t.floatsGo()
	case level == AVX512 && t.bits == 8:
		nbits8FloatsAVX512(t)
	case level == AVX512:
		nbits4FloatsAVX512(t)
	case t.bits == 8:
		nbits8FloatsAVX2(t)
	default:
		nbits4FloatsAVX2(t)
	}
}

// run is [nbitsTile.runGo].
func (t *nbitsTile) run(rows int) {
	switch {
	case level == Portable:
		t.runGo(rows)
	case vnni() && t.bits == 8:
		nbits8TileNx32VNNI(t, rows)
	case vnni():
		nbits4TileNx32VNNI(t, rows)
	default:
		t.runSteps(rows)
	}
}

// runSteps computes the columns of a panel in as many steps as the registers need.
func (t *nbitsTile) runSteps(rows int) {
	cols := [...]int{1: 32, 2: 16, 4: 8, 6: 8}[rows]
	if vnni256() {
		cols = [...]int{1: 32, 2: 32, 4: 16, 6: 16}[rows]
	}
	for c := 0; c < panel; c += cols {
		part := *t
		part.w, part.scales, part.zeros, part.dst = t.w[4*c:], t.scales[c:], from(t.zeros, c), t.dst[c:]
		part.step(rows)
	}
}

func (t *nbitsTile) step(rows int) {
	switch wide := rows <= 2; {
	case vnni256() && t.bits == 8 && wide:
		nbits8TileNx32VNNI256(t, rows)
	case vnni256() && t.bits == 8:
		nbits8TileNx16VNNI256(t, rows)
	case vnni256() && wide:
		nbits4TileNx32VNNI256(t, rows)
	case vnni256():
		nbits4TileNx16VNNI256(t, rows)
	case t.bits == 8:
		t.step8AVX2(rows)
	default:
		t.step4AVX2(rows)
	}
}

func (t *nbitsTile) step4AVX2(rows int) {
	switch rows {
	case 1:
		nbits4Tile1x32AVX2(t)
	case 2:
		nbits4Tile2x16AVX2(t)
	default:
		nbits4TileNx8AVX2(t, rows)
	}
}

func (t *nbitsTile) step8AVX2(rows int) {
	switch rows {
	case 1:
		nbits8Tile1x32AVX2(t)
	case 2:
		nbits8Tile2x16AVX2(t)
	default:
		nbits8TileNx8AVX2(t, rows)
	}
}

// nbitsInt8Speed returns multiply-adds of bytes with weights of a few bits per nanosecond of a thread, roughly: 64 rows times
// 2048×2048 weights of 4 bits reach 138 with VNNI and 69 with AVX2 on a Xeon, and 142 and 76 on a Zen 4.
func nbitsInt8Speed() int {
	switch {
	case vnni():
		return 135
	case level == Portable:
		return 1
	case vnni256():
		return 110
	}
	return 70
}
