package browsertest

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	// square is the side of the squares of a screenshot that are compared.
	square = 8

	// A square differs if a channel of its mean color does by more than farOff. At most the part mostOff of the squares
	// may differ: browsers draw edges and letters slightly differently.
	farOff  = 32
	mostOff = 0.02

	// settling is how long a page may look otherwise, as it scrolls or a busy machine draws it late.
	settling = time.Minute

	// letters is the width of a text in the fonts that the pictures were taken with.
	letters = "width of letters: 956"
)

// Looks compares the page with testdata/looks/NAME.png, a picture of which each pixel is a square of a screenshot. It
// compares nothing where the fonts of the machine are other ones, and again for a while where the page differs. BBGEN_UPDATE=1 replaces the picture.
func (b *Tab) Looks(name string) {
	b.t.Helper()
	shot := small(b.Picture())
	if got := Eval[string](b, `"width of letters: " + (() => { const c = document.createElement("canvas").getContext("2d"); c.font = "100px system-ui, sans-serif"; return Math.round(c.measureText("The quick fox 0123").width) })()`); got != letters {
		b.t.Logf("the page is not compared with %s: %s, want %s", name, got, letters)
		return
	}
	compareLooks(b.t, name, shot, func() *image.RGBA { return small(b.Picture()) })
}

// compareLooks compares a small picture with its file, or writes that. While they differ, it takes the picture again.
func compareLooks(t testing.TB, name string, shot *image.RGBA, again func() *image.RGBA) {
	t.Helper()
	file := filepath.Join("testdata", "looks", name+".png")
	if os.Getenv("BBGEN_UPDATE") != "" {
		if err := writePNG(file, shot); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := readPNG(file)
	if err != nil {
		t.Fatal(err)
	}
	off := differing(shot, want)
	for end := time.Now().Add(settling); off > mostOff && time.Now().Before(end); off = differing(shot, want) {
		time.Sleep(100 * time.Millisecond)
		shot = again()
	}
	if off > mostOff {
		got := filepath.Join(os.TempDir(), strings.ReplaceAll(name, "/", "-")+".png")
		if err := writePNG(got, shot); err != nil {
			t.Fatal(err)
		}
		t.Errorf("%.1f %% of the page differ from %s, want %.1f %% at most: it is now as in %s; BBGEN_UPDATE=1 accepts that", 100*off, file, 100*mostOff, got)
	}
}

func writePNG(file string, m image.Image) error {
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, m); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, out.Bytes(), 0o666)
}

func readPNG(file string) (image.Image, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return png.Decode(bytes.NewReader(data))
}

// small returns a picture whose pixels are the mean colors of the squares of another one.
func small(m image.Image) *image.RGBA {
	r := m.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, r.Dx()/square, r.Dy()/square))
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			out.SetRGBA(x, y, mean(m, r.Min.X+x*square, r.Min.Y+y*square))
		}
	}
	return out
}

// mean returns the mean color of a square.
func mean(m image.Image, left, top int) color.RGBA {
	var sum [3]uint32
	for y := top; y < top+square; y++ {
		for x := left; x < left+square; x++ {
			r, g, b, _ := m.At(x, y).RGBA()
			sum[0], sum[1], sum[2] = sum[0]+r>>8, sum[1]+g>>8, sum[2]+b>>8
		}
	}
	return color.RGBA{uint8(sum[0] / (square * square)), uint8(sum[1] / (square * square)), uint8(sum[2] / (square * square)), 255}
}

// differing returns the part of the pixels of two pictures that are not nearly the same: 1 if their sizes differ.
func differing(a, b image.Image) float64 {
	if a.Bounds().Size() != b.Bounds().Size() {
		return 1
	}
	n, size := 0, a.Bounds().Size()
	for y := range size.Y {
		for x := range size.X {
			if farApart(a.At(a.Bounds().Min.X+x, a.Bounds().Min.Y+y), b.At(b.Bounds().Min.X+x, b.Bounds().Min.Y+y)) {
				n++
			}
		}
	}
	return float64(n) / float64(size.X*size.Y)
}

func farApart(a, b color.Color) bool {
	far := func(x, y uint32) bool { return max(x>>8, y>>8)-min(x>>8, y>>8) > farOff }
	r, g, bl, _ := a.RGBA()
	r2, g2, bl2, _ := b.RGBA()
	return far(r, r2) || far(g, g2) || far(bl, bl2)
}
