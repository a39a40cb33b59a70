package browsertest

import (
	"image/color"
	"math"
)

// A Vision simulates how a person sees colors: a matrix for linear red, green and blue.
type Vision [3][3]float64

// Visions are normal vision, and its complete deficiencies as Machado, Oliveira and Fernandes (2009) model them.
var Visions = map[string]Vision{
	"normal vision": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia":  {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":    {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// Difference returns how different two colors look, as the distance in CIELAB (ΔE*ab). A distance of 2 is just
// noticeable side by side; 10 and more is seen at a glance.
func (v Vision) Difference(a, b color.RGBA) float64 {
	p, q := v.lab(a), v.lab(b)
	return math.Hypot(math.Hypot(p[0]-q[0], p[1]-q[1]), p[2]-q[2])
}

// Contrast returns the ratio of the luminances of two colors, as WCAG defines it: from 1 to 21. Text needs 4.5.
func Contrast(a, b color.RGBA) float64 {
	x, y := xyz(linear(a))[1], xyz(linear(b))[1]
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// lab returns a color in CIELAB, as it is seen.
func (v Vision) lab(c color.RGBA) [3]float64 {
	seen := product(v, linear(c))
	for i := range seen {
		seen[i] = min(max(seen[i], 0), 1)
	}
	w := xyz(seen)
	x, y, z := cubeRoot(w[0]/0.95047), cubeRoot(w[1]), cubeRoot(w[2]/1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// cubeRoot is CIELAB's function: the cube root, linear near 0.
func cubeRoot(x float64) float64 {
	if x > 216.0/24389 {
		return math.Cbrt(x)
	}
	return (24389.0/27*x + 16) / 116
}

// linear returns the linear intensities of an sRGB color.
func linear(c color.RGBA) [3]float64 {
	var out [3]float64
	for i, x := range [3]uint8{c.R, c.G, c.B} {
		s := float64(x) / 255
		if out[i] = s / 12.92; s > 0.04045 {
			out[i] = math.Pow((s+0.055)/1.055, 2.4)
		}
	}
	return out
}

// xyz returns linear intensities in CIE XYZ.
func xyz(c [3]float64) [3]float64 {
	return product(Vision{{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}}, c)
}

func product(m [3][3]float64, c [3]float64) [3]float64 {
	var out [3]float64
	for i := range out {
		out[i] = m[i][0]*c[0] + m[i][1]*c[1] + m[i][2]*c[2]
	}
	return out
}
