package browsertest

import (
	"image"
	"image/color"
	"testing"
)

// TestShare: a color that is off by 3 counts, and one that is off by 4 in a channel does not.
func TestShare(t *testing.T) {
	m := image.NewRGBA(image.Rect(10, 20, 14, 22))
	for i, c := range []color.RGBA{
		{100, 100, 100, 255}, {103, 97, 100, 255}, {104, 100, 100, 255}, {100, 96, 100, 255}, {100, 100, 104, 255},
	} {
		m.SetRGBA(10+i%4, 20+i/4, c)
	}
	if got := Share(m, color.RGBA{100, 100, 100, 255}); got != 2.0/8 {
		t.Errorf("the share is %v, want 2 of 8 pixels", got)
	}
	if got := Share(m, color.RGBA{}); got != 3.0/8 {
		t.Errorf("the share of black is %v, want 3 of 8 pixels", got)
	}
}
