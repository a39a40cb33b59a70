package imagedec

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"testing"
)

// textured returns coefficients of blocks, of which many are zero, in the order of the file.
func textured(c, block int) (b [64]int) {
	v := noise(1000*c+block, 130, 1000)
	b[0] = v[129]%256 - 128
	for k := 1; k < 64; k++ {
		if v[2*k]%(7+k+5*(block%3)) < 5 {
			b[k] = v[2*k+1]%15 - 7
		}
	}
	if block%4 == 1 {
		return [64]int{b[0]}
	}
	if block%5 == 2 {
		b[63] = 1 - block%2*2 // after a long run
	}
	return b
}

// sample returns the sample of a component for a pixel: in flat blocks, interpolated as libjpeg does.
func (f *flatJPEG) sample(c, x, y int) float64 {
	h, v := 0, 0
	for _, s := range f.factors {
		h, v = max(h, s[0]), max(v, s[1])
	}
	sx, sy := h/f.factors[c][0], v/f.factors[c][1]
	w, height := ceilDiv(f.width, sx), ceilDiv(f.height, sy)
	whole, _, _ := f.across(c)
	at := func(x, y int) float64 {
		x, y = min(max(x, 0), w-1), min(max(y, 0), height-1)
		return float64(f.block(c, y/8*whole+x/8)[0] + 128)
	}
	if sx > 2 || sy > 2 || sx == 2 && w <= 2 {
		return at(x/sx, y/sy)
	}
	x2, y2 := x, y // the neighbors, which count a quarter in each direction
	if sx == 2 {
		x2 = x/2 - 1 + x%2*2
	}
	if sy == 2 {
		y2 = y/2 - 1 + y%2*2
	}
	x, y = x/sx, y/sy
	return (9*at(x, y) + 3*at(x2, y) + 3*at(x, y2) + at(x2, y2)) / 16
}

// TestJPEGFactors decodes flat blocks of red, green and blue with all sampling factors.
func TestJPEGFactors(t *testing.T) {
	for _, factors := range [][][2]int{
		{{1, 1}, {1, 1}, {1, 1}}, {{2, 1}, {1, 1}, {1, 1}}, {{1, 2}, {1, 1}, {1, 1}}, {{2, 2}, {1, 1}, {1, 1}},
		{{4, 1}, {1, 1}, {1, 1}}, {{1, 4}, {1, 1}, {1, 1}}, {{2, 4}, {1, 1}, {2, 1}}, {{4, 2}, {2, 1}, {1, 2}},
		{{3, 1}, {1, 1}, {1, 1}}, {{1, 3}, {1, 1}, {1, 3}}, {{2, 3}, {1, 1}, {2, 1}}, {{1, 1}, {2, 2}, {2, 1}}, {{2, 2}, {2, 2}, {2, 2}},
	} {
		for _, size := range [][2]int{{1, 1}, {2, 3}, {4, 4}, {5, 17}, {33, 35}} {
			for k := range 4 {
				f := flatJPEG{width: size[0], height: size[1], factors: factors, adobe: 1, restart: k % 3, long: k&1 != 0, progressive: k&2 != 0}
				var want []uint8
				for i := range 3 * f.width * f.height {
					want = append(want, uint8(math.Round(f.sample(i%3, i/3%f.width, i/3/f.width))))
				}
				mustBe(t, fmt.Sprintf("%d×%d, %v, variant %d", f.width, f.height, factors, k), f.encode(), f.width, f.height, want, 1)
			}
		}
	}
}

// TestJPEGColors: the markers and the names of the components say what they mean.
func TestJPEGColors(t *testing.T) {
	one := [2]int{1, 1}
	three, four := [][2]int{one, one, one}, [][2]int{one, one, one, one}
	rgb := func(a, b, c, _ float64) [3]float64 { return [3]float64{a, b, c} }
	ycc := func(y, cb, cr, _ float64) [3]float64 {
		cut := func(v float64) float64 { return min(max(v, 0), 255) }
		cb, cr = cb-128, cr-128
		return [3]float64{cut(y + 1.402*cr), cut(y - 0.344136*cb - 0.714136*cr), cut(y + 1.772*cb)}
	}
	inks := func(c, m, y, k float64) [3]float64 { return [3]float64{c * k / 255, m * k / 255, y * k / 255} }
	for name, c := range map[string]struct {
		f    flatJPEG
		want func(a, b, c, d float64) [3]float64
	}{
		"plain":                          {flatJPEG{factors: three}, ycc},
		"names from 0":                   {flatJPEG{factors: three, ids: "\x00\x01\x02"}, ycc},
		"named RGB":                      {flatJPEG{factors: three, ids: "RGB"}, rgb},
		"named RGB in JFIF":              {flatJPEG{factors: three, ids: "RGB", jfif: true}, ycc},
		"JFIF":                           {flatJPEG{factors: three, jfif: true}, ycc},
		"Adobe's RGB":                    {flatJPEG{factors: three, adobe: 1}, rgb},
		"Adobe's YCbCr":                  {flatJPEG{factors: three, adobe: 2}, ycc},
		"Adobe's YCbCr that is named so": {flatJPEG{factors: three, adobe: 2, ids: "RGB"}, ycc},
		"Adobe's RGB in JFIF":            {flatJPEG{factors: three, adobe: 1, jfif: true}, ycc},
		"gray":                           {flatJPEG{factors: three[:1]}, func(a, _, _, _ float64) [3]float64 { return [3]float64{a, a, a} }},
		"gray with factors":              {flatJPEG{factors: [][2]int{{2, 3}}}, func(a, _, _, _ float64) [3]float64 { return [3]float64{a, a, a} }},
		"Adobe's CMYK":                   {flatJPEG{factors: four, adobe: 1}, inks},
		"Adobe's YCCK": {flatJPEG{factors: four, adobe: 3}, func(a, b, c, k float64) [3]float64 {
			v := ycc(a, b, c, 0)
			return inks(v[0], v[1], v[2], k)
		}},
		"CMYK": {flatJPEG{factors: four}, func(c, m, y, k float64) [3]float64 { return inks(255-c, 255-m, 255-y, 255-k) }},
	} {
		f := c.f
		f.width, f.height = 70, 40
		var want []uint8
		for i := range f.width * f.height {
			var s [4]float64
			for k := range f.factors {
				s[k] = f.sample(k, i%f.width, i/f.width)
			}
			v := c.want(s[0], s[1], s[2], s[3])
			want = append(want, uint8(math.Round(v[0])), uint8(math.Round(v[1])), uint8(math.Round(v[2])))
		}
		mustBe(t, name, f.encode(), f.width, f.height, want, 1)
	}
}

// TestJPEGTextures: files with the same coefficients give the same pixels, however they are written. Those of
// gray files are near the pixels of the standard library, which has another transform.
func TestJPEGTextures(t *testing.T) {
	for _, factors := range [][][2]int{{{1, 1}}, {{2, 2}, {1, 1}, {1, 1}}, {{1, 1}, {1, 2}, {2, 1}}, {{2, 1}, {1, 1}, {1, 1}, {2, 1}}} {
		for _, size := range [][2]int{{8, 8}, {50, 39}, {130, 70}} {
			f := flatJPEG{width: size[0], height: size[1], factors: factors, coefs: textured}
			plain := f.encode()
			p, err := decode(plain)
			if err != nil {
				t.Fatal(err)
			}
			if len(factors) == 1 {
				standard, err := jpeg.Decode(bytes.NewReader(plain))
				if err != nil {
					t.Fatal(err)
				}
				mustBe(t, "beside the standard library", plain, f.width, f.height, grays(standard.(*image.Gray)), 2)
			}
			for k := 1; k < 16; k++ {
				f.progressive, f.long, f.wide = k&1 != 0, k&2 != 0, k&8 != 0
				f.restart = k & 4 / 4 * (k/2 + 1)
				mustBe(t, fmt.Sprintf("%v, variant %d", factors, k), f.encode(), f.width, f.height, p.rgb, 0)
			}
		}
	}
}

func grays(m *image.Gray) (rgb []uint8) {
	for y := range m.Rect.Dy() {
		for _, v := range m.Pix[y*m.Stride:][:m.Rect.Dx()] {
			rgb = append(rgb, v, v, v)
		}
	}
	return rgb
}

// TestJPEGOfStandardLibrary decodes what the standard library encodes. A smooth picture differs little from
// the original.
func TestJPEGOfStandardLibrary(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 61, 47))
	var want []uint8
	for i := range 61 * 47 {
		x, y := i%61, i/61
		c := color.RGBA{uint8(4 * x), uint8(5 * y), uint8(255 - 2*x - 2*y), 255}
		m.SetRGBA(x, y, c)
		want = append(want, c.R, c.G, c.B)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 100}); err != nil {
		t.Fatal(err)
	}
	mustBe(t, "a gradient", b.Bytes(), 61, 47, want, 8)
}

// TestJPEGRefused: frames and scans that no file of this kind has.
func TestJPEGRefused(t *testing.T) {
	good := flatJPEG{width: 9, height: 9, factors: [][2]int{{2, 2}, {2, 1}, {1, 1}}}
	frame := bytes.Index(good.encode(), []byte{0xff, mSOF1})
	scan := bytes.Index(good.encode(), []byte{0xff, mSOS})
	for _, c := range []struct {
		name string
		at   int
		b    byte
		want error
	}{
		{"12 bits", frame + 4, 12, errFormat},
		{"two components", frame + 9, 2, errFormat},
		{"a factor of 0 across", frame + 11, 0x02, errFormat},
		{"a factor of 0 down", frame + 11, 0x20, errFormat},
		{"a factor of 5", frame + 11, 0x52, errFormat},
		{"a factor that does not divide the largest", frame + 11, 0x32, errFormat},
		{"lossless", frame + 1, 0xc3, errFormat},
		{"differential", frame + 1, 0xc5, errFormat},
		{"arithmetic codes", frame + 1, 0xc9, errFormat},
		{"no height", frame + 6, 0, errSize},
		{"a frame that is skipped", frame + 1, 0xfe, errFormat},
		{"a scan without components", scan + 4, 0, errFormat},
		{"a scan of too many components", scan + 4, 4, errFormat},
		{"a scan of a component that does not exist", scan + 5, 9, errFormat},
		{"a second frame", 3, mSOF1, errFormat},
	} {
		data := good.encode()
		data[c.at] = c.b
		if c.name == "a second frame" { // before the first
			data = append(append([]byte{0xff, 0xd8}, data[frame:scan]...), data[frame:]...)
		}
		if p, err := decode(data); err == nil || c.want != nil && err != c.want {
			t.Errorf("%s: got %v, %v, want %v", c.name, p, err, c.want)
		}
	}
}
