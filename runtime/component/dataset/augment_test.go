package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// ramp returns an image with different pixels.
func ramp(h, w int) []float32 {
	img := make([]float32, h*w)
	for i := range img {
		img[i] = float32((i*37+11)%101) / 100
	}
	return img
}

// drawn draws an image.
func drawn(p placement, img []float32, h, w int) []float32 {
	out := make([]float32, h*w)
	p.draw(out, img, h, w)
	return out
}

// nearly reports whether all pixels are equal up to rounding.
func nearly(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Abs(float64(x-y)) < 1e-4 })
}

// TestPlacementsOfPixels: flips, whole shifts and quarter turns move pixels, and do so as their formulas say.
func TestPlacementsOfPixels(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {1, 5}, {4, 4}, {5, 5}, {3, 7}} {
		h, w := size[0], size[1]
		img := ramp(h, w)
		at := func(y, x int) float32 {
			if y < 0 || x < 0 || y >= h || x >= w {
				return 0
			}
			return img[y*w+x]
		}
		for name, c := range map[string]struct {
			p    placement
			from func(y, x int) float32
		}{
			"nothing":           {place(h, w, 0, 0, 0, 1, false), at},
			"flip":              {place(h, w, 0, 0, 0, 1, true), func(y, x int) float32 { return at(y, w-1-x) }},
			"half a turn":       {place(h, w, 0, 0, 180, 1, false), func(y, x int) float32 { return at(h-1-y, w-1-x) }},
			"a whole turn":      {place(h, w, 0, 0, 360, 1, false), at},
			"flip and turn":     {place(h, w, 0, 0, 180, 1, true), func(y, x int) float32 { return at(h-1-y, x) }},
			"right":             {place(h, w, 2, 0, 0, 1, false), func(y, x int) float32 { return at(y, x-2) }},
			"left and down":     {place(h, w, -1, 3, 0, 1, false), func(y, x int) float32 { return at(y-3, x+1) }},
			"far away":          {place(h, w, 1e6, 0, 0, 1, false), func(y, x int) float32 { return 0 }},
			"half to the right": {place(h, w, 0.5, 0, 0, 1, false), func(y, x int) float32 { return (at(y, x-1) + at(y, x)) / 2 }},
		} {
			var want []float32
			for i := range h * w {
				want = append(want, c.from(i/w, i%w))
			}
			if got := drawn(c.p, img, h, w); !nearly(got, want) {
				t.Errorf("%s of %d by %d: got %v\nwant %v", name, h, w, got, want)
			}
		}
	}
}

// TestQuarterTurns: four quarter turns of a square are none, and one moves the pixel above the center to its side.
func TestQuarterTurns(t *testing.T) {
	const n = 5
	img := ramp(n, n)
	turned := img
	for range 4 {
		turned = drawn(place(n, n, 0, 0, 90, 1, false), turned, n, n)
	}
	if !nearly(turned, img) {
		t.Errorf("four quarter turns: %v\nwant %v", turned, img)
	}
	once := drawn(place(n, n, 0, 0, 90, 1, false), img, n, n)
	back := drawn(place(n, n, 0, 0, -90, 1, false), once, n, n)
	if !nearly(back, img) || nearly(once, img) {
		t.Errorf("there and back: %v\nwant %v", back, img)
	}
	var want []float32 // the source of (x, y) is (y, n-1-x): sin 90° is 1
	for i := range n * n {
		y, x := i/n, i%n
		want = append(want, img[(n-1-x)*n+y])
	}
	if !nearly(once, want) {
		t.Errorf("one quarter turn: %v\nwant %v", once, want)
	}
}

// TestScaleOfImages: an image twice as large shows the middle of the original, and the center remains.
func TestScaleOfImages(t *testing.T) {
	const n = 5
	img := ramp(n, n)
	larger := drawn(place(n, n, 0, 0, 0, 2, false), img, n, n)
	smaller := drawn(place(n, n, 0, 0, 0, 0.5, false), img, n, n)
	for i := range n * n {
		y, x := i/n, i%n
		if y%2 == 0 && x%2 == 0 { // 2 + (x-2)/2 is a whole number
			if want := img[(2+(y-2)/2)*n+2+(x-2)/2]; math.Abs(float64(larger[i]-want)) > 1e-4 {
				t.Errorf("larger: pixel %d is %g, want %g", i, larger[i], want)
			}
		}
		want := float32(0)
		if sy, sx := 2+(y-2)*2, 2+(x-2)*2; sy >= 0 && sx >= 0 && sy < n && sx < n {
			want = img[sy*n+sx]
		}
		if math.Abs(float64(smaller[i]-want)) > 1e-4 {
			t.Errorf("smaller: pixel %d is %g, want %g", i, smaller[i], want)
		}
	}
}

// TestAugmentationInBounds: no variation leaves the range of the pixels and 0, and shape and labels remain.
func TestAugmentationInBounds(t *testing.T) {
	const n, channels, h, w = 40, 3, 6, 5
	for _, text := range []string{"flip", "shift=3", "rotate=180", "scale=0.9", "shift=1e5,rotate=999,scale=0.99,flip"} {
		a, err := ParseAugmentation(text)
		if err != nil {
			t.Fatal(err)
		}
		x := tensor.New(tensor.Float32, n, channels, h, w)
		data := tensor.Data[float32](x)
		for i := range n {
			for c := range channels {
				copy(data[(i*channels+c)*h*w:], ramp(h, w))
			}
		}
		before := slices.Clone(data)
		a.Apply(5, 1, Order(5, 1, n), x)
		if fmt.Sprint(x.Shape) != "[40 3 6 5]" || slices.Equal(before, data) {
			t.Errorf("%s: the shape is %v, and equal: %v", text, x.Shape, slices.Equal(before, data))
		}
		if low, high := slices.Min(data), slices.Max(data); low < 0 || high > slices.Max(before)+1e-6 {
			t.Errorf("%s: pixels from %g to %g, want from 0 to %g", text, low, high, slices.Max(before))
		}
		for i := range n {
			img := data[i*channels*h*w:][:channels*h*w]
			if !slices.Equal(img[:h*w], img[h*w:2*h*w]) || !slices.Equal(img[:h*w], img[2*h*w:]) {
				t.Errorf("%s: the channels of image %d are varied differently", text, i)
			}
		}
	}
}

// TestAugmentationVaries: half of the images are flipped, each epoch others, and shifts are as often to the left as to the right.
func TestAugmentationVaries(t *testing.T) {
	const n = 4000
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	varied := func(a Augmentation, seed uint64, epoch int) []float32 {
		x := tensor.New(tensor.Float32, n, 1, 3)
		for i := range n {
			copy(tensor.Data[float32](x)[3*i:], []float32{1, 0, 0})
		}
		a.Apply(seed, epoch, all, x)
		return tensor.Data[float32](x)
	}
	one, other, seeded := varied(Augmentation{Flip: true}, 1, 1), varied(Augmentation{Flip: true}, 1, 2), varied(Augmentation{Flip: true}, 2, 1)
	flipped, both, bothSeeds := 0, 0, 0
	for i := range n {
		f, g, s := one[3*i+2] == 1, other[3*i+2] == 1, seeded[3*i+2] == 1
		if f == (one[3*i] == 1) {
			t.Fatalf("image %d is %v", i, one[3*i:3*i+3])
		}
		for _, c := range []struct {
			is bool
			n  *int
		}{{f, &flipped}, {f && g, &both}, {f && s, &bothSeeds}} {
			if c.is {
				*c.n++
			}
		}
	}
	for what, c := range map[string]struct{ got, want int }{"flipped": {flipped, n / 2}, "in two epochs": {both, n / 4}, "with two seeds": {bothSeeds, n / 4}} {
		if d := c.got - c.want; d*d > 25*n/4 {
			t.Errorf("%s: %d of %d, want about %d", what, c.got, n, c.want)
		}
	}
	mean := 0.0 // of the lost light: a pixel at the left edge loses what is shifted to the left
	for i, data := 0, varied(Augmentation{Shift: 1}, 3, 0); i < n; i++ {
		mean += float64(data[3*i]+data[3*i+1]) / n
	}
	// Shifted right by s, all of it remains; shifted left by s, 1-s does; up and down by r, 1-|r|: (3/4)·(1/2).
	if math.Abs(mean-0.375) > 0.02 {
		t.Errorf("%.3f of the light remains on average, want 0.375", mean)
	}
}

// TestAugmentationMessages shows the errors for settings.
func TestAugmentationMessages(t *testing.T) {
	for text, want := range map[string]string{
		"turn=1":            `augmentation "turn=1": want shift=PIXELS, rotate=DEGREES, scale=PART or flip`,
		"shift":             `augmentation "shift": want shift=PIXELS, rotate=DEGREES, scale=PART or flip`,
		"flip,Flip":         `augmentation "Flip": want shift=PIXELS, rotate=DEGREES, scale=PART or flip`,
		"flip=1":            `augmentation "flip=1": want shift=PIXELS, rotate=DEGREES, scale=PART or flip`,
		"shift=":            `augmentation shift is "", want a number from 0 on, a scale below 1`,
		"rotate=10,shift=x": `augmentation shift is "x", want a number from 0 on, a scale below 1`,
		"rotate=-1":         `augmentation rotate is "-1", want a number from 0 on, a scale below 1`,
		"rotate=1e6":        `augmentation rotate is "1e6", want a number from 0 on, a scale below 1`,
		"scale=1":           `augmentation scale is "1", want a number from 0 on, a scale below 1`,
		"scale=Inf":         `augmentation scale is "Inf", want a number from 0 on, a scale below 1`,
		"scale=nan":         `augmentation scale is "nan", want a number from 0 on, a scale below 1`,
		"shift=0,scale=0":   "",
		"shift=999999":      "",
	} {
		if _, err := ParseAugmentation(text); want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
	a, err := ParseAugmentation(strings.Repeat("flip,", 100) + "shift=1,shift=2")
	if err != nil || a != (Augmentation{Shift: 2, Flip: true}) {
		t.Errorf("the last of two settings: got %+v, %v", a, err)
	}
}
