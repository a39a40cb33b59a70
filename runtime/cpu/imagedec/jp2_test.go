package imagedec

import (
	"fmt"
	"runtime/debug"
	"slices"
	"testing"
)

// jp2Samples returns samples of each component, smooth but for some.
func (f *jp2File) jp2Samples() (samples [][]int, rgb []uint8) {
	for i := range f.parts {
		p := &f.parts[i]
		p.rect = f.grid.div(p.dx, p.dy)
		n := p.rect.width() * (p.rect.y1 - p.rect.y0)
		v := noise(i, n, 1<<p.bits)
		for k := range v {
			if k%7 > 0 {
				v[k] = (k*5 + i*90) % (1 << p.bits)
			}
			if p.signed {
				v[k] -= 1 << (p.bits - 1)
			}
		}
		samples = append(samples, v)
	}
	for y := f.grid.y0; y < f.grid.y1; y++ {
		for x := f.grid.x0; x < f.grid.x1; x++ {
			for c := range 3 {
				if len(f.parts) < 3 {
					c = 0
				}
				rgb = append(rgb, f.color(samples[c], c, x, y))
			}
		}
	}
	return samples, rgb
}

// color returns the highest eight bits of a sample.
func (f *jp2File) color(samples []int, c, x, y int) uint8 {
	p := f.parts[c]
	x, y = max(x/p.dx, p.rect.x0), max(y/p.dy, p.rect.y0)
	v := samples[(min(y, p.rect.y1-1)-p.rect.y0)*p.rect.width()+min(x, p.rect.x1-1)-p.rect.x0]
	if p.signed {
		v += 1 << (p.bits - 1)
	}
	return uint8(v << 8 >> p.bits)
}

func jp2Parts(n, bits int, signed bool) (out []jp2Part) {
	for range n {
		out = append(out, jp2Part{bits: bits, signed: signed, dx: 1, dy: 1})
	}
	return out
}

// TestJP2 writes images with all styles of code blocks, several levels, tiles and depths. Those that are
// reversible are decoded exactly.
func TestJP2(t *testing.T) {
	places := []struct{ grid, tile jp2Rect }{
		{jp2Rect{0, 0, 21, 17}, jp2Rect{0, 0, 21, 17}},
		{jp2Rect{3, 5, 24, 18}, jp2Rect{1, 2, 12, 11}},
		{jp2Rect{0, 0, 1, 1}, jp2Rect{0, 0, 1, 1}},
		{jp2Rect{7, 7, 8, 20}, jp2Rect{7, 0, 8, 20}},
	}
	for style := range 64 {
		if style&16 != 0 {
			continue // termination that can be checked: nothing changes for a decoder
		}
		for k, place := range places {
			for quant := range 3 {
				n := style + k + quant
				f := jp2File{grid: place.grid, tile: place.tile, levels: n % 4, style: style, quant: quant, reversible: quant == 0, markers: n % 4, split: n%3 == 1}
				f.parts, f.mct = jp2Parts(1+n%4, []int{8, 8, 5, 12, 16}[n%5], n%2 == 1), 0
				if len(f.parts) >= 3 {
					f.mct = n / 2 % 2
				}
				samples, want := f.jp2Samples()
				apart := 0
				if quant > 0 {
					apart = 1 << max(8-f.parts[0].bits, 0)
				}
				mustBe(t, fmt.Sprintf("%+v", f), f.encode(samples), f.grid.width(), f.grid.y1-f.grid.y0, want, apart)
			}
		}
	}
}

// TestJP2Sampling: components with a sample for several pixels.
func TestJP2Sampling(t *testing.T) {
	for _, d := range [][2]int{{1, 1}, {2, 1}, {1, 2}, {2, 2}, {3, 4}} {
		for _, grid := range []jp2Rect{{0, 0, 20, 13}, {5, 3, 22, 19}} {
			f := jp2File{grid: grid, tile: jp2Rect{0, 0, 16, 16}, levels: 2, reversible: true, parts: jp2Parts(3, 8, false)}
			f.parts[1].dx, f.parts[1].dy = d[0], d[1]
			f.parts[2].dx, f.parts[2].bits = d[0], 4
			samples, want := f.jp2Samples()
			mustBe(t, fmt.Sprintf("%v, a sample for %v", grid, d), f.encode(samples), grid.width(), grid.y1-grid.y0, want, 0)
		}
	}
}

// TestJP2Boxes: boxes around a codestream, one of which has the color space.
func TestJP2Boxes(t *testing.T) {
	f := jp2File{grid: jp2Rect{0, 0, 9, 7}, tile: jp2Rect{0, 0, 9, 7}, levels: 1, reversible: true, parts: jp2Parts(3, 8, false)}
	samples, plain := f.jp2Samples()
	stream := f.encode(samples)
	var mixed []uint8
	for i := 0; i < len(plain); i += 3 {
		r, g, b := ycc(int(plain[i]), int(plain[i+1])-128, int(plain[i+2])-128)
		mixed = append(mixed, r, g, b)
	}
	mustBe(t, "RGB", jp2Boxes(16, stream), 9, 7, plain, 0)
	mustBe(t, "sYCC", jp2Boxes(18, stream), 9, 7, mixed, 0)
	all := jp2Boxes(16, stream)
	last := len(all) - len(stream) - 8
	open := slices.Clone(all)
	copy(open[last:], "\x00\x00\x00\x00")
	mustBe(t, "a box without an end", open, 9, 7, plain, 0)
	long := slices.Concat(all[:last], []byte("\x00\x00\x00\x01jp2c\x00\x00\x00\x00"), be(0, 16+len(stream)), stream)
	mustBe(t, "a box with a long length", long, 9, 7, plain, 0)
	if p, err := decode(all[:last]); err != errSize {
		t.Errorf("no codestream: got %v, %v", p, err)
	}
	for name, data := range map[string][]byte{
		"a palette":            jp2Boxes(16, stream, jp2Box("pclr", make([]byte, 20))),
		"headers in a header":  jp2Boxes(16, stream, jp2Box("jp2h", nil)),
		"a length that is cut": long[:last+12],
	} {
		if p, err := decode(data); err != errFormat {
			t.Errorf("%s: got %v, %v", name, p, err)
		}
	}
}

// TestJP2DeepBoxes: boxes in each other do not exhaust the stack, which would end the process.
func TestJP2DeepBoxes(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(1 << 20))
	data := []byte("\x00\x00\x00\x0cjP  \r\n\x87\n")
	for range 1 << 16 {
		data = append(data, "\x00\x00\x00\x00jp2h"...)
	}
	allocatesLittle(t, "deep boxes", data, errFormat)
}
