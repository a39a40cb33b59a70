package imagedec

import (
	"fmt"
	"slices"
	"testing"
)

// transform writes a transform's parameters, and returns the pixels from which it makes the given ones.
func (w *vp8lWriter) transform(kind int, pix []uint32, width int) ([]uint32, int) {
	height := len(pix) / width
	out := slices.Clone(pix)
	across := ceilDiv(width, 4)
	how := make([]uint32, across*ceilDiv(height, 4))
	switch kind {
	case byNeighbours:
		for i := range how {
			how[i] = uint32((w.f.predictor+i)%16) << 8
		}
		for i := range pix {
			out[i] = minus(pix[i], predicted(pix, i, width, int(how[i/width/4*across+i%width/4]>>8)))
		}
	case byColor:
		for i, v := range noise(3, len(how), 1<<24) {
			how[i] = uint32(v) | 0xff000000
		}
		for i, v := range pix {
			m := how[i/width/4*across+i%width/4]
			out[i] = v&0xff00ff00 | (v>>16-times(m, v>>8))&255<<16 | (v-times(m>>8, v>>8)-times(m>>16, v>>16))&255
		}
	case byGreen:
		for i, v := range pix {
			g := v >> 8 & 255
			out[i] = minus(v, g<<16|g)
		}
		return out, width
	case byPalette:
		return w.bundle(pix, width)
	}
	w.bits(0, 3) // blocks of 4×4
	w.image(how, across, false)
	return out, width
}

// times is the specification's ColorTransformDelta.
func times(t, c uint32) uint32 { return uint32(int(int8(t)) * int(int8(c)) >> 5) }

// bundle writes the palette and returns its indices, of which several are in a pixel.
func (w *vp8lWriter) bundle(pix []uint32, width int) ([]uint32, int) {
	p := w.f.palette
	w.bits(len(p)-1, 8)
	var steps []uint32
	for i, c := range p {
		if i > 0 {
			c = minus(c, p[i-1])
		}
		steps = append(steps, c)
	}
	w.image(steps, len(p), false)
	bits := 8
	for _, n := range []int{16, 4, 2} {
		if len(p) <= n {
			bits /= 2
		}
	}
	per := 8 / bits
	across := ceilDiv(width, per)
	out := make([]uint32, across*len(pix)/width)
	for i, v := range pix {
		x := i % width
		at := slices.IndexFunc(p, func(c uint32) bool { return c<<8 == v<<8 })
		out[i/width*across+x/per] |= uint32(at) << (x % per * bits) << 8
	}
	return out, across
}

// minus subtracts each byte.
func minus(a, b uint32) (v uint32) {
	for s := 0; s < 32; s += 8 {
		v |= (a>>s - b>>s) & 255 << s
	}
	return v
}

// predicted is section 4.1 of the specification.
func predicted(pix []uint32, i, width, mode int) (v uint32) {
	switch {
	case i == 0:
		return 0xff000000
	case i < width:
		mode = 1
	case i%width == 0:
		mode = 2
	}
	if mode == 0 || mode > 13 {
		return 0xff000000
	}
	L, T := pix[i-1], pix[max(i-width, 0)]
	TL, TR := pix[max(i-width-1, 0)], pix[max(i-width+1, 0)]
	if mode == 11 {
		toLeft, toTop := 0, 0
		for s := 0; s < 32; s += 8 {
			l, top, c := int(L>>s&255), int(T>>s&255), int(TL>>s&255)
			p := l + top - c
			toLeft, toTop = toLeft+max(p-l, l-p), toTop+max(p-top, top-p)
		}
		if toLeft < toTop {
			return L
		}
		return T
	}
	for s := 0; s < 32; s += 8 {
		l, t, tl, tr := int(L>>s&255), int(T>>s&255), int(TL>>s&255), int(TR>>s&255)
		half := (l+t)/2 + ((l+t)/2-tl)/2
		all := [14]int{1: l, 2: t, 3: tr, 4: tl, 5: ((l+tr)/2 + t) / 2, 6: (l + tl) / 2, 7: (l + t) / 2, 8: (tl + t) / 2,
			9: (t + tr) / 2, 10: ((l+tl)/2 + (t+tr)/2) / 2, 12: min(max(l+t-tl, 0), 255), 13: min(max(half, 0), 255)}
		v |= uint32(all[mode]) << s
	}
	return v
}

// TestVP8L writes images with all transforms in several orders, and with all other features.
func TestVP8L(t *testing.T) {
	for k, transforms := range [][]int{nil, {byGreen}, {byColor}, {byNeighbours}, {byNeighbours, byColor, byGreen}, {byGreen, byColor, byNeighbours}, {byColor, byNeighbours}} {
		for _, size := range [][2]int{{1, 1}, {1, 9}, {9, 1}, {23, 37}} {
			for n := range 4 {
				f := vp8lFile{width: size[0], height: size[1], transforms: transforms, predictor: 5 * n, runs: n%2 == 1}
				f.cacheBits, f.copies, f.groups = 3*n*(k%2), (k+n)%3, n == 2 && k < 4
				top := []int{256, 256, 3, 1}[n]
				v := noise(k, 3*f.width*f.height, top)
				mustBe(t, fmt.Sprintf("%+v", f), f.encode(v), f.width, f.height, bytesOf(v), 0)
			}
		}
	}
}

// TestVP8LPalette writes images with palettes, of which several indices are in a byte.
func TestVP8LPalette(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 5, 16, 17, 256} {
		var palette []uint32
		for i, c := range noise(n, n, 1<<16) {
			palette = append(palette, 0xff000000|uint32(i*c)<<8&0xffff00|uint32(i))
		}
		for width := 1; width < 20; width++ {
			for _, transforms := range [][]int{{byPalette}, {byPalette, byNeighbours}} {
				f := vp8lFile{width: width, height: 6, palette: palette, transforms: transforms, copies: width % 3, cacheBits: width % 12}
				var v []int
				for _, i := range noise(width, 6*width, n) {
					c := palette[i]
					v = append(v, int(c>>16&255), int(c>>8&255), int(c&255))
				}
				mustBe(t, fmt.Sprintf("%d colors, width %d, transforms %v", n, width, transforms), f.encode(v), width, 6, bytesOf(v), 0)
			}
		}
	}
}

// TestVP8LSimpleCodes reads codes of one and two symbols, which are written without lengths.
func TestVP8LSimpleCodes(t *testing.T) {
	for _, c := range []struct {
		name    string
		fields  [][2]int // values and their numbers of bits
		symbols []int    // of the bits 0 and 1
	}{
		{"one symbol of a bit", [][2]int{{1, 1}, {0, 1}, {0, 1}, {1, 1}}, []int{1, 1}},
		{"one symbol of a byte", [][2]int{{1, 1}, {0, 1}, {1, 1}, {200, 8}}, []int{200, 200}},
		{"two symbols", [][2]int{{1, 1}, {1, 1}, {0, 1}, {1, 1}, {77, 8}}, []int{1, 77}},
		{"two symbols, the larger one first", [][2]int{{1, 1}, {1, 1}, {1, 1}, {99, 8}, {3, 8}}, []int{3, 99}},
	} {
		w := &vp8lWriter{}
		for _, f := range c.fields {
			w.bits(f[0], f[1])
		}
		w.bits(2, 10) // the bits 0 and 1
		d := &vp8l{data: append(w.out, 0)}
		var code prefixCode
		code.read(d, 256)
		if got := []int{code.symbol(d), code.symbol(d)}; !slices.Equal(got, c.symbols) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.symbols)
		}
	}
}

// TestVP8LNear: the places near a pixel are each listed once, the nearer ones first.
func TestVP8LNear(t *testing.T) {
	seen, before := map[uint8]bool{}, 0
	for i, p := range vp8lNear {
		x, y := 8-int(p&15), int(p>>4)
		d := x*x + y*y
		if seen[p] || d < before || y > 7 || y == 0 && x < 1 {
			t.Errorf("place %d is %d, %d, after one at a distance of √%d", i, x, y, before)
		}
		seen[p], before = true, d
	}
	for _, c := range [][3]int{{1, 10, 10}, {2, 10, 1}, {3, 10, 11}, {4, 10, 9}, {120, 10, 78}, {4, 1, 1}, {121, 10, 1}, {130, 10, 10}} {
		if got := distance(c[0], c[1]); got != c[2] {
			t.Errorf("distance %d in rows of %d is %d, want %d", c[0], c[1], got, c[2])
		}
	}
}
