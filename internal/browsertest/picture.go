package browsertest

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"

	"github.com/chromedp/chromedp"
)

// Picture returns a screenshot. It is also saved in the folder BBGEN_SCREENSHOTS, if that is set.
func (b *Tab) Picture() image.Image {
	b.t.Helper()
	shot, err := chromedp.Run(b, chromedp.CaptureScreenshot())
	b.check(err)
	if dir := os.Getenv("BBGEN_SCREENSHOTS"); dir != "" {
		b.check(os.WriteFile(filepath.Join(dir, b.t.Name()+".png"), shot, 0o666))
	}
	m, err := png.Decode(bytes.NewReader(shot))
	b.check(err)
	return m
}

// Share returns the fraction of pixels with nearly the given color.
func Share(m image.Image, want color.RGBA) float64 {
	near := func(a uint32, b uint8) bool { return max(int(a>>8), int(b))-min(int(a>>8), int(b)) <= 3 }
	n, all := 0, m.Bounds()
	for y := all.Min.Y; y < all.Max.Y; y++ {
		for x := all.Min.X; x < all.Max.X; x++ {
			if r, g, b, _ := m.At(x, y).RGBA(); near(r, want.R) && near(g, want.G) && near(b, want.B) {
				n++
			}
		}
	}
	return float64(n) / float64(all.Dx()*all.Dy())
}
