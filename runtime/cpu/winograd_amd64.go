//go:build amd64 && !purego

package cpu

func (t *winogradTile) in() {
	switch tapLanes(t.n) {
	case 16:
		winogradInAVX512(t)
	case 8:
		winogradInAVX2(t)
	default:
		t.inGo()
	}
}

func (t *winogradTile) out() {
	switch tapLanes(t.n) {
	case 16:
		winogradOutAVX512(t)
	case 8:
		winogradOutAVX2(t)
	default:
		t.outGo()
	}
}

func (t *winogradTile) smallIn() {
	switch tapLanes(t.n) {
	case 16:
		winogradSmallInAVX512(t)
	case 8:
		winogradSmallInAVX2(t)
	default:
		t.smallInGo()
	}
}

func (t *winogradTile) smallOut() {
	switch tapLanes(t.n) {
	case 16:
		winogradSmallOutAVX512(t)
	case 8:
		winogradSmallOutAVX2(t)
	default:
		t.smallOutGo()
	}
}
