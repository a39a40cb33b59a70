package dataset

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// scaledSlowly scales one channel pixel by pixel, with the weights' formula: 1 - distance/reach for each pixel closer than reach.
func scaledSlowly(b []byte, h, w, toH, toW int) []float64 {
	weight := func(to, from, n, m int) float64 {
		scale := float64(n) / float64(m)
		center := (float64(to)+0.5)*scale - 0.5
		return max(0, 1-math.Abs(float64(from)-center)/max(scale, 1))
	}
	var out []float64
	for y := range toH {
		for x := range toW {
			sum, total := 0.0, 0.0
			for i, v := range b {
				k := weight(y, i/w, h, toH) * weight(x, i%w, w, toW)
				sum, total = sum+k*float64(v), total+k
			}
			out = append(out, sum/total)
		}
	}
	return out
}

// TestScaledAgainstFormula compares images of many sizes with the slow way; it may round the other way.
func TestScaledAgainstFormula(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 150 {
		h, w, toH, toW := 1+r.IntN(9), 1+r.IntN(9), 1+r.IntN(9), 1+r.IntN(9)
		img := make([]byte, h*w)
		for i := range img {
			img[i] = byte(r.IntN(256))
		}
		got, want := scaled(slices.Clone(img), 1, h, w, toH, toW), scaledSlowly(img, h, w, toH, toW)
		if len(got) != toH*toW {
			t.Fatalf("%d pixels, want %d by %d", len(got), toH, toW)
		}
		for i, v := range got {
			if math.Abs(float64(v)-want[i]) > 0.501 {
				t.Fatalf("%d by %d to %d by %d: pixel %d is %d, want %.3f", h, w, toH, toW, i, v, want[i])
			}
		}
	}
}

// TestScaledKeeps: an even image remains even, channels do not mix, and a mirrored image gives the mirrored result.
func TestScaledKeeps(t *testing.T) {
	const h, w = 6, 7
	for _, size := range [][2]int{{1, 1}, {3, 7}, {6, 2}, {13, 20}, {6, 7}} {
		toH, toW := size[0], size[1]
		for _, v := range []byte{0, 1, 127, 254, 255} {
			if got := scaled(slices.Repeat([]byte{v}, h*w), 1, h, w, toH, toW); slices.Min(got) != v || slices.Max(got) != v {
				t.Errorf("an image of %d becomes %v", v, got)
			}
		}
		var img, mirrored []byte
		for i := range h * w {
			img = append(img, byte(i*53))
			mirrored = append(mirrored, byte((i/w*w+w-1-i%w)*53))
		}
		both := scaled(slices.Concat(img, mirrored), 2, h, w, toH, toW)
		one, other := both[:toH*toW], both[toH*toW:]
		if alone := scaled(slices.Clone(img), 1, h, w, toH, toW); !slices.Equal(alone, one) {
			t.Errorf("to %v: a channel beside another one is %v, alone %v", size, one, alone)
		}
		for i := range one {
			if d := int(one[i]) - int(other[i/toW*toW+toW-1-i%toW]); d < -1 || d > 1 {
				t.Errorf("to %v: pixel %d differs by %d from that of the mirrored image", size, i, d)
			}
		}
	}
}

// TestPixelWeights: the weights of each pixel are positive, sum to 1, and belong to pixels that are there.
func TestPixelWeights(t *testing.T) {
	for n := 1; n <= 12; n++ {
		for m := 1; m <= 12; m++ {
			used := make([]bool, n)
			for i, p := range pixelWeightsOf(n, m) {
				sum := 0.0
				for k, v := range p.weights {
					if v < 0 || p.first+k < 0 || p.first+k >= n {
						t.Fatalf("%d of %d: pixel %d has weight %g of pixel %d", m, n, i, v, p.first+k)
					}
					used[p.first+k] = used[p.first+k] || v > 0
					sum += float64(v)
				}
				if math.Abs(sum-1) > 1e-6 {
					t.Errorf("%d of %d: the weights of pixel %d sum to %g", m, n, i, sum)
				}
			}
			if slices.Contains(used, false) {
				t.Errorf("%d of %d: pixels without influence: %v", m, n, used)
			}
		}
	}
}

// TestPlanes: gray is the luma of red, green and blue, transparent pixels are darker, and an image may begin anywhere.
func TestPlanes(t *testing.T) {
	for _, c := range []struct {
		c         color.Color
		gray, rgb string
	}{
		{color.White, "[255]", "[255 255 255]"},
		{color.Gray{77}, "[77]", "[77 77 77]"},
		{color.RGBA{255, 0, 0, 255}, "[76]", "[255 0 0]"},  // 0.299
		{color.RGBA{0, 255, 0, 255}, "[150]", "[0 255 0]"}, // 0.587
		{color.RGBA{0, 0, 255, 255}, "[29]", "[0 0 255]"},  // 0.114
		{color.NRGBA{255, 255, 255, 0}, "[0]", "[0 0 0]"},
		{color.NRGBA{200, 100, 50, 51}, "[24]", "[40 20 10]"}, // a fifth: 0.299·40 + 0.587·20 + 0.114·10 is 24.84, which is cut off
		{color.Gray16{0x1234}, "[18]", "[18 18 18]"},
		{color.CMYK{0, 255, 255, 0}, "[76]", "[255 0 0]"},
	} {
		img := image.NewNRGBA64(image.Rect(-3, 5, -2, 6))
		img.Set(-3, 5, c.c)
		if gray, rgb := fmt.Sprint(planes(img, 1)), fmt.Sprint(planes(img, 3)); gray != c.gray || rgb != c.rgb {
			t.Errorf("%v: gray %s, colors %s, want %s and %s", c.c, gray, rgb, c.gray, c.rgb)
		}
	}
	wide := image.NewGray(image.Rect(0, 0, 3, 2))
	for i := range wide.Pix {
		wide.Pix[i] = byte(i)
	}
	if got := fmt.Sprint(planes(wide, 3)); got != "[0 1 2 3 4 5 0 1 2 3 4 5 0 1 2 3 4 5]" {
		t.Errorf("rows first: %s", got)
	}
	part := wide.SubImage(image.Rect(1, 0, 3, 2))
	if got := fmt.Sprint(planes(part, 1)); got != "[1 2 4 5]" {
		t.Errorf("a part of an image: %s", got)
	}
}
