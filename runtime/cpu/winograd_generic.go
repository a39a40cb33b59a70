package cpu

// inGo computes, for each channel, the transform of the columns of 6×6 pixels, and then that of the rows of
// the result. The conversions prevent compilers from fusing two operations on some architectures only.
func (t *winogradTile) inGo() {
	for c := range t.n {
		var tmp [6][6]float32
		for j := range 6 {
			var d [6]float32
			for i := range d {
				d[i] = t.src[i*t.row+j*t.pixel+c]
			}
			for i, v := range winogradIn(d) {
				tmp[i][j] = v
			}
		}
		for i := range 6 {
			for j, v := range winogradIn(tmp[i]) {
				t.dst[(i*6+j)*t.step+c] = v
			}
		}
	}
}

// The transforms evaluate polynomials at 0, ±a, ±b and infinity. These a and b are exact, and near √½ and √2,
// where the error is smallest.
const winogradA, winogradB = 0.75, 1.5

// winogradIn is the transform of six pixels.
func winogradIn(d [6]float32) [6]float32 {
	const a, b = winogradA, winogradB
	p, q := d[4]-float32(b*b*d[2]), float32(a*(d[3]-float32(b*b*d[1])))
	r, s := d[4]-float32(a*a*d[2]), float32(b*(d[3]-float32(a*a*d[1])))
	return [6]float32{
		d[4] - float32((a*a+b*b)*d[2]) + float32(a*a*b*b*d[0]), p + q, p - q, r + s, r - s,
		d[5] - float32((a*a+b*b)*d[3]) + float32(a*a*b*b*d[1]),
	}
}

// outGo computes, for each channel, the transform of the columns of 6×6 transforms, and then that of the rows
// of the result, with bias and residual, limited to the bounds.
func (t *winogradTile) outGo() {
	for c := range t.n {
		var tmp [4][6]float32
		for j := range 6 {
			var m [6]float32
			for i := range m {
				m[i] = t.src[(i*6+j)*t.step+c]
			}
			for i, v := range winogradOut(m) {
				tmp[i][j] = v
			}
		}
		for i := range 4 {
			for j, v := range winogradOut(tmp[i]) {
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

// winogradOut is the transform of six values to four.
func winogradOut(m [6]float32) [4]float32 {
	const a, b = winogradA, winogradB
	p, q := m[1]+m[2], m[3]+m[4]
	r, s := m[1]-m[2], m[3]-m[4]
	return [4]float32{
		m[0] + p + q,
		float32(a*r) + float32(b*s),
		float32(a*a*p) + float32(b*b*q),
		m[5] + float32(a*a*a*r) + float32(b*b*b*s),
	}
}
