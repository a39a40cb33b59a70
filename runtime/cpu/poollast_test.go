package cpu

import (
	"math"
	"testing"
)

func TestPoolLast32(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		lastCases(func(name string, images, channels, _, _ int, win Window) {
			if len(win.In) > 2 {
				return
			}
			t.Run(name, func(t *testing.T) {
				x := gaussians[float32](images * channels * sizeOf(win.In))
				last := channelsLast(x, images, channels)
				planes := make([]float32, images*channels*sizeOf(win.Out))
				got, check := guarded(len(planes))

				MaxPool(planes, x, images*channels, win)
				MaxPoolLast32(got, last, images, channels, win)
				check(t)
				for i, v := range channelsLast(planes, images, channels) {
					if got[i] != v {
						t.Fatalf("MaxPoolLast32: element %d is %v, want %v", i, got[i], v)
					}
				}
				for _, padded := range []bool{false, true} {
					AveragePool(planes, x, images*channels, padded, win)
					AveragePoolLast32(got, last, images, channels, padded, win)
					check(t)
					nearly(t, "AveragePoolLast32", widen64(got), widen64(channelsLast(planes, images, channels)), 1e-5)
				}
			})
		})
	})
}

func TestMaxPoolLast32NaN(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		const channels, at = 19, 18
		win := window([]int{6}, []int{3}, []int{1}, []int{1}, []int{0}, []int{0})
		nan, inf := float32(math.NaN()), float32(math.Inf(-1))
		for place := range 6 {
			x := make([]float32, 6*channels)
			fill(x, inf)
			x[place*channels+at] = nan
			got := make([]float32, 4*channels)
			MaxPoolLast32(got, x, 1, channels, win)
			for o := range 4 {
				for c, v := range got[o*channels:][:channels] {
					if want := c == at && place >= o && place < o+3; want != (v != v) || !want && v != inf {
						t.Fatalf("NaN at %d: pixel %d, channel %d is %v", place, o, c, v)
					}
				}
			}
		}
	})
}

// TestGlobalAverageOfNothing compares both layouts of images without pixels.
func TestGlobalAverageOfNothing(t *testing.T) {
	first, last := make([]float32, 3), make([]float32, 3)
	GlobalAveragePool(first, nil, 0)
	one, none := []int{1, 1}, []int{0, 4}
	AveragePoolLast32(last, nil, 1, 3, false, Window{In: none, Out: one, Kernel: none, Stride: one, Dilation: one, Pad: []int{0, 0}})
	for i := range first {
		if first[i] == first[i] || last[i] == last[i] {
			t.Errorf("got %v and %v, want NaN", first[i], last[i])
		}
	}
}

// TestConvTransposeOfNothing tests images without pixels: the result is the bias.
func TestConvTransposeOfNothing(t *testing.T) {
	dst := []float32{9, 9, 9, 9}
	win := Window{In: []int{2}, Out: []int{0}, Kernel: []int{3}, Stride: []int{1}, Dilation: []int{1}, Pad: []int{0}}
	ConvTransposeLast32(dst, nil, make([]float32, 64), []float32{1, 2}, 1, 4, 2, win)
	equal(t, "with a bias", dst, 1, 2, 1, 2)
	ConvTransposeLast32(dst, nil, make([]float32, 64), nil, 1, 4, 2, win)
	equal(t, "without", dst, 0, 0, 0, 0)
}
