package imagedec

// samples computes the samples of a component from its coefficients.
func (p *jpegPart) samples(quant *[64]int32) []uint8 {
	out := make([]uint8, len(p.coefs))
	for i := 0; i < len(p.coefs); i += 64 {
		b := i / 64
		inverse(out[(b/p.stride*8*p.stride+b%p.stride)*8:], p.coefs[i:i+64], quant, 8*p.stride)
	}
	return out
}

// inverse is the inverse cosine transform of a block, in integers like that of the JPEG group's library, so
// that the results are the same.
func inverse(dst []uint8, c []int16, quant *[64]int32, stride int) {
	var m [64]int32
	for i := range 8 {
		var v [8]int32
		for k := range v {
			v[k] = int32(c[8*k+i]) * quant[8*k+i]
		}
		inverse8(&v)
		for k := range v {
			m[8*k+i] = (v[k] + 1<<10) >> 11
		}
	}
	for y := range 8 {
		v := [8]int32(m[8*y:])
		inverse8(&v)
		row := dst[y*stride:][:8]
		for x := range row {
			row[x] = clamp(int((v[x]+1<<17)>>18) + 128)
		}
	}
}

// inverse8 is the transform of 8 numbers, times 2¹³·√8, by the method of
// Loeffler, Ligtenberg and Moschytz.
func inverse8(v *[8]int32) {
	z1 := (v[2] + v[6]) * 4433
	even2, even3 := z1-v[6]*15137, z1+v[2]*6270
	even0, even1 := (v[0]+v[4])<<13, (v[0]-v[4])<<13
	a0, a3 := even0+even3, even0-even3
	a1, a2 := even1+even2, even1-even2

	z5 := (v[7] + v[3] + v[5] + v[1]) * 9633
	y1, y2 := (v[7]+v[1])*-7373, (v[5]+v[3])*-20995
	y3, y4 := (v[7]+v[3])*-16069+z5, (v[5]+v[1])*-3196+z5
	b0, b1 := v[7]*2446+y1+y3, v[5]*16819+y2+y4
	b2, b3 := v[3]*25172+y2+y3, v[1]*12299+y1+y4
	*v = [8]int32{a0 + b3, a1 + b2, a2 + b1, a3 + b0, a3 - b0, a2 - b1, a1 - b2, a0 - b3}
}
