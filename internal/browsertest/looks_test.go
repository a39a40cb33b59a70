package browsertest

import (
	"image"
	"image/color"
	"image/draw"
	"testing"
)

// picture returns a white picture of 400 by 320 pixels with a black rectangle.
func picture(r image.Rectangle) image.Image {
	m := image.NewRGBA(image.Rect(0, 0, 400, 320))
	draw.Draw(m, m.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(m, r, image.NewUniform(color.Black), image.Point{}, draw.Src)
	return m
}

// TestDiffering: a line that moves by a pixel is the same picture, and a rectangle that moves or is missing is not.
func TestDiffering(t *testing.T) {
	line := small(picture(image.Rect(20, 100, 380, 101)))
	if got := differing(line, small(picture(image.Rect(20, 101, 380, 102)))); got != 0 {
		t.Errorf("%.3f of the squares differ when a line moves by a pixel", got)
	}
	box := small(picture(image.Rect(96, 96, 176, 176)))
	if got := differing(box, small(picture(image.Rect(136, 96, 216, 176)))); got != 0.05 {
		t.Errorf("%.3f of the squares differ when a box moves by half, want 0.050", got)
	}
	if got := differing(box, line); got < mostOff {
		t.Errorf("%.3f of the squares differ, want more", got)
	}
	if got := differing(box, small(image.NewRGBA(image.Rect(0, 0, 400, 328)))); got != 1 {
		t.Errorf("%.3f of pictures of different sizes differ, want all", got)
	}
}
