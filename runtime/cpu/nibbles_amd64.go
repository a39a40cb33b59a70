//go:build amd64 && !purego

package cpu

//go:generate env GOWORK=off go -C _asm run ./nibbles -out ../nibbles_amd64.s

// row is [nibblePanel.rowGo].
func (t *nibblePanel) row() {
	switch level {
	case AVX512:
		nibbleRowAVX512(t)
	case AVX2:
		nibbleRowAVX2(t)
	default:
		t.rowGo()
	}
}

// floats is [nibblePanel.floatsGo].
func (t *nibblePanel) floats() {
	switch level {
	case AVX512:
		nibbleFloatsAVX512(t)
	case AVX2:
		nibbleFloatsAVX2(t)
	default:
		t.floatsGo()
	}
}

// run is [nibbleTile.runGo].
func (t *nibbleTile) run(rows int) {
	switch {
	case vnni():
		t.runVNNI(rows)
	case level == Portable:
		t.runGo(rows)
	default:
		t.runAVX2(rows)
	}
}

func (t *nibbleTile) runVNNI(rows int) {
	switch rows {
	case 1:
		nibbleTile1x32VNNI(t)
	case 2:
		nibbleTile2x32VNNI(t)
	case 4:
		nibbleTile4x32VNNI(t)
	case 6:
		nibbleTile6x32VNNI(t)
	}
}

// runAVX2 computes the columns of a panel in as many steps as the registers need.
func (t *nibbleTile) runAVX2(rows int) {
	cols := [...]int{1: 32, 2: 16, 4: 8, 6: 8}[rows]
	for c := 0; c < panel; c += cols {
		part := *t
		part.w, part.scales, part.zeros, part.dst = t.w[4*c:], t.scales[c:], from(t.zeros, c), t.dst[c:]
		part.stepAVX2(rows)
	}
}

func (t *nibbleTile) stepAVX2(rows int) {
	switch rows {
	case 1:
		nibbleTile1x32AVX2(t)
	case 2:
		nibbleTile2x16AVX2(t)
	case 4:
		nibbleTile4x8AVX2(t)
	case 6:
		nibbleTile6x8AVX2(t)
	}
}

// byteNibbleSpeed returns multiply-adds of bytes with weights of 4 bits per nanosecond, roughly.
func byteNibbleSpeed() int {
	switch {
	case vnni():
		return 200
	case level == Portable:
		return 1
	}
	return 60
}

//go:noescape
func nibbleRowAVX512(t *nibblePanel)

//go:noescape
func nibbleRowAVX2(t *nibblePanel)

//go:noescape
func nibbleFloatsAVX512(t *nibblePanel)

//go:noescape
func nibbleFloatsAVX2(t *nibblePanel)

//go:noescape
func nibbleTile1x32VNNI(t *nibbleTile)

//go:noescape
func nibbleTile2x32VNNI(t *nibbleTile)

//go:noescape
func nibbleTile4x32VNNI(t *nibbleTile)

//go:noescape
func nibbleTile6x32VNNI(t *nibbleTile)

//go:noescape
func nibbleTile1x32AVX2(t *nibbleTile)

//go:noescape
func nibbleTile2x16AVX2(t *nibbleTile)

//go:noescape
func nibbleTile4x8AVX2(t *nibbleTile)

//go:noescape
func nibbleTile6x8AVX2(t *nibbleTile)
