package cpu

// smallInGo is [winogradTile.inGo] for 4×4 pixels.
func (t *winogradTile) smallInGo() {
	for c := range t.n {
		var tmp [4][4]float32
		for j := range 4 {
			var d [4]float32
			for i := range d {
				d[i] = t.src[i*t.row+j*t.pixel+c]
			}
			for i, v := range winogradSmallIn(d) {
				tmp[i][j] = v
			}
		}
		for i := range 4 {
			for j, v := range winogradSmallIn(tmp[i]) {
				t.dst[(i*4+j)*t.step+c] = v
			}
		}
	}
}

// winogradSmallIn is the transform of four pixels: polynomials at 0, ±1 and infinity.
func winogradSmallIn(d [4]float32) [4]float32 {
	return [4]float32{d[0] - d[2], d[1] + d[2], d[2] - d[1], d[1] - d[3]}
}

// smallOutGo is [winogradTile.outGo] for 2×2 pixels.
func (t *winogradTile) smallOutGo() {
	for c := range t.n {
		var tmp [2][4]float32
		for j := range 4 {
			var m [4]float32
			for i := range m {
				m[i] = t.src[(i*4+j)*t.step+c]
			}
			for i, v := range winogradSmallOut(m) {
				tmp[i][j] = v
			}
		}
		for i := range 2 {
			for j, v := range winogradSmallOut(tmp[i]) {
				at := i*t.row + j*t.pixel + c
				v += t.bias[c]
				if t.res != nil {
					v += t.res[at]
				}
				t.dst[at] = clamp32(v, t.low, t.high)
			}
		}
	}
}

// winogradSmallOut is the transform of four values to two.
func winogradSmallOut(m [4]float32) [2]float32 {
	return [2]float32{m[0] + m[1] + m[2], m[1] - m[2] - m[3]}
}
