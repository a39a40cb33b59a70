package browsertest

import (
	"image/color"
	"math"
	"testing"
)

// TestVision: red and green are much less different to those who lack a cone for either; black and white are as
// different to all.
func TestVision(t *testing.T) {
	red, green := color.RGBA{200, 60, 40, 255}, color.RGBA{110, 120, 30, 255}
	normal := Visions["normal vision"].Difference(red, green)
	for _, name := range []string{"protanopia", "deuteranopia"} {
		if got := Visions[name].Difference(red, green); got > normal/2 {
			t.Errorf("%s: red and green differ by %.1f, want at most half of %.1f", name, got, normal)
		}
	}
	for name, v := range Visions {
		if got := v.Difference(color.RGBA{A: 255}, color.RGBA{255, 255, 255, 255}); math.Abs(got-100) > 3 {
			t.Errorf("%s: black and white differ by %.1f, want 100", name, got)
		}
	}
}

// TestContrast has the values of WCAG's examples.
func TestContrast(t *testing.T) {
	white := color.RGBA{255, 255, 255, 255}
	for c, want := range map[color.RGBA]float64{{A: 255}: 21, white: 1, {0x76, 0x76, 0x76, 255}: 4.54} {
		if got := Contrast(c, white); math.Abs(got-want) > 0.01 {
			t.Errorf("%v on white: %.2f, want %.2f", c, got, want)
		}
	}
}
