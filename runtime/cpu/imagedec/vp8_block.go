package imagedec

// Modes of prediction. Blocks of 16 and of 8 have the first four.
const (
	predDC = iota
	predTM
	predVE
	predHE
	predRD
	predVR
	predLD
	predVL
	predHD
	predHU
)

// vp8Coefs are the coefficients of a macroblock: 16 blocks of luma, 4 and 4 of chroma.
type vp8Coefs [24][16]int16

// macroblock decodes one macroblock.
func (d *vp8) macroblock(mx, my int) {
	b := d.first
	segment := 0
	if d.segmentMap {
		segment = b.bit(d.segmentProbs[0])
		segment = 2*segment + b.bit(d.segmentProbs[1+segment])
	}
	skip := d.skips && b.bit(d.skipProb) == 1
	whole := b.bit(145) == 1 // one mode for all of luma
	var modes [16]uint8
	above := d.above[4*mx:][:4]
	if whole {
		m := d.tree(156, 163, 128)
		for i := range 4 {
			above[i], d.left[i] = m, m
		}
		modes[0] = m
	} else {
		for i := range modes {
			m := d.subblockMode(&vp8Modes[above[i%4]][d.left[i/4]])
			modes[i], above[i%4], d.left[i/4] = m, m, m
		}
	}
	chroma := uint8(predDC)
	if b.bit(142) == 1 {
		chroma = predVE
		if b.bit(114) == 1 {
			chroma = [2]uint8{predHE, predTM}[b.bit(183)]
		}
	}
	var c vp8Coefs
	nz := d.nzAbove[9*mx:][:9]
	coded := false
	if skip {
		clear(nz[:8])
		clear(d.nzLeft[:8])
		if whole {
			nz[8], d.nzLeft[8] = 0, 0
		}
	} else {
		coded = d.residual(&c, d.parts[my%len(d.parts)], &d.quants[segment], whole, nz)
	}
	d.edges[my*d.across+mx] = d.edge(segment, !whole, coded)
	d.predict(mx, my, whole, &modes, chroma, &c)
}

// tree reads the mode of a block of 16.
func (d *vp8) tree(first, low, high uint8) uint8 {
	if d.first.bit(first) == 0 {
		return [2]uint8{predDC, predVE}[d.first.bit(low)]
	}
	return [2]uint8{predHE, predTM}[d.first.bit(high)]
}

func (d *vp8) subblockMode(p *[9]uint8) uint8 {
	b := d.first
	switch {
	case b.bit(p[0]) == 0:
		return predDC
	case b.bit(p[1]) == 0:
		return predTM
	case b.bit(p[2]) == 0:
		return predVE
	case b.bit(p[3]) == 0:
		if b.bit(p[4]) == 0 {
			return predHE
		}
		return [2]uint8{predRD, predVR}[b.bit(p[5])]
	case b.bit(p[6]) == 0:
		return predLD
	case b.bit(p[7]) == 0:
		return predVL
	}
	return [2]uint8{predHD, predHU}[b.bit(p[8])]
}

// residual reads the coefficients and reports whether there are any.
func (d *vp8) residual(c *vp8Coefs, b *boolReader, q *vp8Quant, whole bool, above []uint8) bool {
	coded := false
	kind, first := 3, 0
	left := d.nzLeft[:]
	if whole {
		var means [16]int16
		n := d.block(&means, b, 1, 0, above[8]+left[8], &q.y2)
		above[8], left[8] = min(n, 1), min(n, 1)
		spreadMeans(c, &means)
		kind, first = 0, 1
	}
	for i := range 24 {
		// The indices of the block in above and left.
		x, y, qs := i%4, i/4, &q.y
		if i >= 16 {
			x, y, qs = 4+(i-16)/4*2+i%2, 4+(i-16)/4*2+i/2%2, &q.uv
			kind, first = 2, 0
		}
		n := d.block(&c[i], b, kind, first, above[x]+left[y], qs)
		above[x], left[y] = min(n, 1), min(n, 1)
		coded = coded || n > 0 || c[i][0] != 0
	}
	return coded
}

// block reads the coefficients of one block from the first on, and returns their number.
func (d *vp8) block(c *[16]int16, b *boolReader, kind, n int, context uint8, q *[2]int) uint8 {
	chances := &d.chances[kind]
	p := &chances[vp8Bands[n]][context]
	if b.bit(p[0]) == 0 {
		return 0
	}
	for {
		for b.bit(p[1]) == 0 {
			n++
			if n == 16 {
				return 16
			}
			p = &chances[vp8Bands[n]][0]
		}
		v := 1
		next := 1
		if b.bit(p[2]) == 1 {
			v, next = b.large(p), 2
		}
		if b.bit(128) == 1 {
			v = -v
		}
		c[vp8Zigzag[n]] = int16(v * q[min(n, 1)])
		n++
		p = &chances[vp8Bands[n]][next]
		if n == 16 || b.bit(p[0]) == 0 {
			return uint8(n)
		}
	}
}

// large reads a magnitude of 2 or more.
func (b *boolReader) large(p *[11]uint8) int {
	if b.bit(p[3]) == 0 {
		if b.bit(p[4]) == 0 {
			return 2
		}
		return 3 + b.bit(p[5])
	}
	if b.bit(p[6]) == 0 {
		if b.bit(p[7]) == 0 {
			return 5 + b.bit(159)
		}
		return 7 + 2*b.bit(165) + b.bit(145)
	}
	kind := b.bit(p[8])
	kind = 2*kind + b.bit(p[9+kind])
	v := 0
	for _, e := range vp8Extra[kind] {
		v = v<<1 | b.bit(e)
	}
	return v + 3 + 8<<kind
}

// spreadMeans computes the first coefficients of luma from their transform.
func spreadMeans(c *vp8Coefs, in *[16]int16) {
	var t [16]int
	for i := range 4 {
		a0, a1 := int(in[i])+int(in[12+i]), int(in[4+i])+int(in[8+i])
		a2, a3 := int(in[4+i])-int(in[8+i]), int(in[i])-int(in[12+i])
		t[i], t[4+i], t[8+i], t[12+i] = a0+a1, a3+a2, a0-a1, a3-a2
	}
	for i := range 4 {
		v := t[4*i:][:4]
		a0, a1, a2, a3 := v[0]+3+v[3], v[1]+v[2], v[1]-v[2], v[0]+3-v[3]
		c[4*i][0], c[4*i+1][0] = int16((a0+a1)>>3), int16((a3+a2)>>3)
		c[4*i+2][0], c[4*i+3][0] = int16((a0-a1)>>3), int16((a3-a2)>>3)
	}
}
