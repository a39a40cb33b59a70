package imagedec

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// jp2File describes a JPEG 2000 codestream, of one layer, and of one code block in each band.
type jp2File struct {
	grid, tile jp2Rect // as in [jp2]
	parts      []jp2Part
	levels     int
	reversible bool
	mct        int
	style      int
	quant      int  // 0: reversible, 1: derived, 2: each its own
	markers    int  // around packet headers
	split      bool // component 1 has markers of its own, as do its tiles
}

// jp2Step is the exponent and the mantissa of a band's quantization. In files with one for all, it is that of
// the lowest band.
func (f *jp2File) jp2Step(bits, r, k int) (exponent, mantissa int) {
	gain := []int{0, 1, 1, 2}[k]
	switch f.quant {
	case 0:
		return bits + gain + 1, 0 // a bit more for the mixture of components
	case 1:
		return bits + 5 - max(r-1, 0), 100
	}
	return bits + gain + 4, 300 + 10*r + k
}

// encode writes the samples of each component.
func (f jp2File) encode(samples [][]int) []byte {
	u32 := binary.BigEndian.AppendUint32
	b := append([]byte("\xff\x4f\xff\x51"), be(38+3*len(f.parts), 0)...)
	for _, v := range []int{f.grid.x1, f.grid.y1, f.grid.x0, f.grid.y0, f.tile.width(), f.tile.y1 - f.tile.y0, f.tile.x0, f.tile.y0} {
		b = u32(b, uint32(v))
	}
	b = append(b, be(len(f.parts))...)
	for i := range f.parts {
		p := &f.parts[i]
		kind := byte(p.bits - 1)
		if p.signed {
			kind |= 0x80
		}
		b = append(b, kind, byte(p.dx), byte(p.dy))
		p.rect = f.grid.div(p.dx, p.dy)
	}
	b = append(b, f.coding(f.split)...)
	across := ceilDiv(f.grid.x1-f.tile.x0, f.tile.width())
	for i := range across * ceilDiv(f.grid.y1-f.tile.y0, f.tile.y1-f.tile.y0) {
		dx, dy := i%across*f.tile.width(), i/across*(f.tile.y1-f.tile.y0)
		r := jp2Rect{f.tile.x0 + dx, f.tile.y0 + dy, f.tile.x1 + dx, f.tile.y1 + dy}.cut(f.grid)
		head, data := []byte{}, f.packets(samples, r)
		if f.split {
			head = f.coding(false)
		}
		b = append(append(b, "\xff\x90"...), be(10, i)...)
		b = append(u32(b, uint32(14+len(head)+len(data))), 0, 1)
		b = append(append(append(b, head...), 0xff, 0x93), data...)
	}
	return append(b, 0xff, 0xd9)
}

// coding returns the markers for the coding and the quantization. With other, those for all components are
// wrong, and each component has right ones.
func (f *jp2File) coding(other bool) []byte {
	reversible := byte(0)
	if f.reversible {
		reversible = 1
	}
	levels := f.levels
	if other {
		levels++
	}
	b := append(append([]byte("\xff\x52"), be(12)...), byte(f.markers<<1), 0, 0, 1, byte(f.mct), byte(levels), 4, 4, byte(f.style), reversible)
	for i, p := range f.parts {
		s := []byte{byte(2<<5 | f.quant)}
		for r := range f.levels + 1 {
			for k := min(r, 1); k <= 3*min(r, 1); k++ {
				e, m := f.jp2Step(p.bits, r, k)
				switch {
				case f.quant == 0:
					s = append(s, byte(e<<3))
				case f.quant == 2 || r == 0:
					s = append(s, be(e<<11|m)...)
				}
			}
		}
		if i == 0 && !other {
			b = append(append(append(b, "\xff\x5c"...), be(2+len(s))...), s...)
		} else {
			b = append(append(append(b, "\xff\x5d"...), be(3+len(s))...), byte(i))
			b = append(b, s...)
		}
		if other {
			b = append(append(append(b, "\xff\x53"...), be(9)...), byte(i), 0, byte(f.levels), 4, 4, byte(f.style), reversible)
		}
	}
	return b
}

// packets returns the packets of a tile, by resolution and component.
func (f *jp2File) packets(samples [][]int, tile jp2Rect) (b []byte) {
	planes := make([][]float64, len(f.parts))
	for i, p := range f.parts {
		r := tile.div(p.dx, p.dy)
		for y := r.y0; y < r.y1; y++ {
			for x := r.x0; x < r.x1; x++ {
				v := samples[i][(y-p.rect.y0)*p.rect.width()+x-p.rect.x0]
				if !p.signed {
					v -= 1 << (p.bits - 1)
				}
				planes[i] = append(planes[i], float64(v))
			}
		}
	}
	if f.mct == 1 {
		f.mix(planes)
	}
	n := 0
	for r := range f.levels + 1 {
		for i, p := range f.parts {
			whole := tile.div(p.dx, p.dy)
			if down := 1 << (f.levels - r); whole.div(down, down).empty() {
				continue
			}
			if f.markers&1 != 0 {
				b = append(append(append(b, "\xff\x91"...), be(4)...), be(n)...)
			}
			n++
			b = append(b, f.packet(f.bands(planes[i], whole, r), p.bits, r)...)
		}
	}
	return b
}

// mix applies the transform of the first three components.
func (f *jp2File) mix(p [][]float64) {
	for i, r := range p[0] {
		g, b := p[1][i], p[2][i]
		if f.reversible {
			p[0][i], p[1][i], p[2][i] = math.Floor((r+2*g+b)/4), b-g, r-g
			continue
		}
		p[0][i] = 0.299*r + 0.587*g + 0.114*b
		p[1][i] = -0.16875*r - 0.33126*g + 0.5*b
		p[2][i] = 0.5*r - 0.41869*g - 0.08131*b
	}
}

// jp2Numbers is the numbers of a band.
type jp2Numbers struct {
	v     []float64
	width int
	kind  int // 1 if high in x, plus 2 if high in y
}

// bands returns the bands of resolution r.
func (f *jp2File) bands(v []float64, rect jp2Rect, r int) (out []jp2Numbers) {
	for level := f.levels; ; level-- {
		if level == 0 && r == 0 {
			return []jp2Numbers{{v, rect.width(), 0}}
		}
		var parts [4]jp2Numbers
		v = f.analyze(v, rect)
		for i, x := range v {
			px, py := rect.x0+i%rect.width(), rect.y0+i/rect.width()
			k := px&1 + py&1*2
			parts[k].v, parts[k].kind = append(parts[k].v, x), k
		}
		for k := range parts {
			parts[k].width = (rect.x1+1-k&1)/2 - (rect.x0+1-k&1)/2
		}
		if level == r {
			return parts[1:]
		}
		v, rect = parts[0].v, rect.div(2, 2)
	}
}

// analyze filters the columns and then the rows. Even places have the low frequencies, and odd ones the high.
func (f *jp2File) analyze(v []float64, r jp2Rect) []float64 {
	w, h := r.width(), r.y1-r.y0
	if w < 1 || h < 1 {
		return nil
	}
	out := make([]float64, len(v))
	for x := range w {
		var column []float64
		for y := range h {
			column = append(column, v[y*w+x])
		}
		for y, c := range f.line(column, r.y0) {
			out[y*w+x] = c
		}
	}
	for y := range h {
		copy(out[y*w:], f.line(out[y*w:][:w], r.x0))
	}
	return out
}

// line is annex F.4.8 of the specification.
func (f *jp2File) line(v []float64, first int) []float64 {
	n := len(v)
	if n == 1 {
		return []float64{v[0] * float64(1+first&1)}
	}
	at := func(i int) float64 { return v[max(i, -i)-max(2*(i-n+1), 0)] } // mirrored
	step := func(odd int, change func(sum float64) float64) {
		for i := range n {
			if (first+i)&1 == odd {
				v[i] += change(at(i-1) + at(i+1))
			}
		}
	}
	if f.reversible {
		step(1, func(s float64) float64 { return -math.Floor(s / 2) })
		step(0, func(s float64) float64 { return math.Floor((s + 2) / 4) })
		return v
	}
	for i, c := range []float64{-1.586134342059924, -0.052980118572961, 0.882911075530934, 0.443506852043971} {
		step(1-i%2, func(s float64) float64 { return c * s })
	}
	for i := range v {
		if (first+i)&1 == 1 {
			v[i] *= 1.230174104914001
		} else {
			v[i] /= 1.230174104914001
		}
	}
	return v
}

// packet writes one packet.
func (f *jp2File) packet(bands []jp2Numbers, precision, r int) []byte {
	w, body := &stuffedBits{}, []byte{}
	w.bits(1, 1)
	for _, band := range bands {
		if len(band.v) == 0 {
			continue
		}
		e, m := f.jp2Step(precision, r, band.kind)
		gain := []int{0, 1, 1, 2}[band.kind]
		step := math.Pow(2, float64(precision+gain-e)) * (1 + float64(m)/2048)
		numbers := make([]int, len(band.v))
		for i, v := range band.v {
			if f.quant == 0 {
				step = 1
			}
			numbers[i] = int(v / step)
		}
		segments, planes := encodeBlock(numbers, band.width, [2]bool{band.kind&1 != 0, band.kind&2 != 0}, f.style)
		if len(segments) == 0 {
			w.bits(0, 1) // in no layer
			continue
		}
		w.bits(1, 1)
		w.bits(1, 2+e-planes) // as many zeros as planes are missing, and a one
		writePasses(w, max(3*planes-2, 1))
		more := 0
		for _, s := range segments {
			more = max(more, bits.Len(uint(len(s.data)))-bits.Len(uint(s.passes))-2)
		}
		w.bits(1<<(more+1)-2, more+1)
		for _, s := range segments {
			w.bits(len(s.data), more+bits.Len(uint(s.passes))+2)
			body = append(body, s.data...)
		}
	}
	head := w.out
	if head[len(head)-1] == 0xff {
		head = append(head, 0)
	}
	if f.markers&2 != 0 {
		head = append(head, 0xff, 0x92)
	}
	return append(head, body...)
}

// writePasses is table B.4 of the specification.
func writePasses(w *stuffedBits, n int) {
	switch {
	case n == 1:
		w.bits(0, 1)
	case n == 2:
		w.bits(2, 2)
	case n <= 5:
		w.bits(3<<2|(n-3), 4)
	case n <= 36:
		w.bits(15<<5|(n-6), 9)
	default:
		w.bits(511<<7|(n-37), 16)
	}
}
