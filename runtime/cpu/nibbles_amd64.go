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

//go:noescape
func nibbleRowAVX512(t *nibblePanel)

//go:noescape
func nibbleRowAVX2(t *nibblePanel)

//go:noescape
func nibbleFloatsAVX512(t *nibblePanel)

//go:noescape
func nibbleFloatsAVX2(t *nibblePanel)
