//go:build !purego

package cpu

// quantizeWholeNBits would quantize the first blocks of x, and returns how many it has.
func quantizeWholeNBits([]byte, []float32, []nbitsBlock, int, int) int { return 0 }

// row is [nbitsPanel.rowGo].
func (t *nbitsPanel) row() {
	switch {
	case level == Portable:
		t.rowGo()
	case t.bits == 8:
		nbits8RowNEON(t)
	default:
		nbits4RowNEON(t)
	}
}

// floats is [nbitsPanel.floatsGo].
func (t *nbitsPanel) floats() {
	if level == Portable {
		t.floatsGo()
		return
	}
	for b := *t; b.blocks > 0; b.next() {
		if b.bits == 8 {
			nbits8FloatsNEON(&b)
		} else {
			nbits4FloatsNEON(&b)
		}
	}
}

// next removes the first block, which has been converted.
func (t *nbitsPanel) next() {
	t.blocks--
	t.w, t.dst = t.w[t.groups*4*panel:], t.dst[t.groups*nbitsWord(t.bits)*panel:]
	t.scales, t.zeros = t.scales[panel:], from(t.zeros, panel)
}

// run is [nbitsTile.runGo].
func (t *nbitsTile) run(rows int) {
	if !dotProd() {
		t.runGo(rows)
		return
	}
	for c := 0; c < panel; c += 8 {
		part := *t
		part.w, part.scales, part.zeros, part.dst = t.w[4*c:], t.scales[c:], from(t.zeros, c), t.dst[c:]
		part.run8(rows)
	}
}

// run8 computes 8 columns.
func (t *nbitsTile) run8(rows int) {
	switch rows + t.bits<<8 {
	case 1 + 4<<8:
		nbits4Tile1x8NEON(t)
	case 2 + 4<<8:
		nbits4Tile2x8NEON(t)
	case 4 + 4<<8:
		nbits4Tile4x8NEON(t)
	case 6 + 4<<8:
		nbits4Tile6x8NEON(t)
	case 1 + 8<<8:
		nbits8Tile1x8NEON(t)
	case 2 + 8<<8:
		nbits8Tile2x8NEON(t)
	case 4 + 8<<8:
		nbits8Tile4x8NEON(t)
	case 6 + 8<<8:
		nbits8Tile6x8NEON(t)
	}
}

// nbitsInt8Speed returns multiply-adds of bytes with weights of a few bits per nanosecond, roughly; that of the dot product
// is an estimate.
func nbitsInt8Speed() int {
	if dotProd() {
		return 15
	}
	return 1
}

//go:noescape
func nbits4RowNEON(t *nbitsPanel)

//go:noescape
func nbits8RowNEON(t *nbitsPanel)

//go:noescape
func nbits4FloatsNEON(t *nbitsPanel)

//go:noescape
func nbits8FloatsNEON(t *nbitsPanel)

//go:noescape
func nbits4Tile1x8NEON(t *nbitsTile)

//go:noescape
func nbits4Tile2x8NEON(t *nbitsTile)

//go:noescape
func nbits4Tile4x8NEON(t *nbitsTile)

//go:noescape
func nbits4Tile6x8NEON(t *nbitsTile)

//go:noescape
func nbits8Tile1x8NEON(t *nbitsTile)

//go:noescape
func nbits8Tile2x8NEON(t *nbitsTile)

//go:noescape
func nbits8Tile4x8NEON(t *nbitsTile)

//go:noescape
func nbits8Tile6x8NEON(t *nbitsTile)
