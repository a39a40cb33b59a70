package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// slideCases are windows around those of the sliding kernels: wider than the line, beyond it on each side by
// up to half of their taps and more, numbers of pixels of a kernel and others, and cases for which there is
// no sliding kernel.
func slideCases(yield func(name string, images, channels int, win Window)) {
	channels := []int{8, 16, 40, 7, 24, 19, 33}
	n := 0
	for _, taps := range []int{2, 3, 5, 7} {
		for stride := 1; stride <= 3; stride++ {
			for width := range 26 {
				for pad := range taps/2 + 2 {
					padEnd := (pad + n) % (taps/2 + 2)
					if width == 0 || width+pad+padEnd < taps {
						continue
					}
					n++
					win := window([]int{4, width}, []int{3, taps}, []int{1 + n%2, stride}, []int{1, 1}, []int{n % 4, pad}, []int{1, padEnd})
					yield(fmt.Sprintf("%d taps, stride %d, %d pixels, padding %d and %d", taps, stride, width, pad, padEnd), 1+n%2, channels[n%len(channels)], win)
				}
			}
		}
	}
	for _, stride := range []int{1, 2} {
		win := window([]int{21, 5}, []int{3, 3}, []int{stride, stride}, []int{2, 1}, []int{1, 1}, []int{2, 1})
		yield(fmt.Sprint("pixels half a page apart, stride ", stride), 2, 512, win)
	}
	yield("lines beyond the image", 2, 512, window([]int{2, 5}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{4, 1}, []int{5, 1}))
}

// digits returns n small integers, whose products and sums are exact.
func digits(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(rng.IntN(9) - 4)
	}
	return x
}

// guardedCopy returns x between guards that would change a result if they were read.
func guardedCopy(x []float64) []float32 {
	y, _ := guarded(len(x))
	copy(y, narrow32(x))
	return y
}

func TestDepthwise32Slides(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 6))
		slideCases(func(name string, images, channels int, win Window) {
			taps := sizeOf(win.Kernel)
			x, w, bias := digits(rng, images*channels*sizeOf(win.In)), digits(rng, channels*taps), digits(rng, channels)
			x[rng.IntN(len(x))] = math.NaN()
			x[rng.IntN(len(x))] = math.Inf(1)
			planes := make([]float64, images*channels*sizeOf(win.Out))
			naiveConv(planes, x, w, bias, images, channels, channels, channels, win)
			packed, _ := guarded(len(w))
			PackDepthwise32(packed, narrow32(w), channels, taps)
			last := guardedCopy(channelsLast(x, images, channels))
			for act, clamp := range map[Act]func(float64) float64{
				ActNone:  func(v float64) float64 { return v },
				ActRelu:  func(v float64) float64 { return max(v, 0) },
				ActRelu6: func(v float64) float64 { return min(max(v, 0), 6) },
			} {
				got, check := guarded(len(planes))
				Depthwise32(got, last, packed, guardedCopy(bias), nil, DepthwiseShape{Images: images, Channels: channels, Window: win}, act)
				check(t)
				for i, v := range channelsLast(planes, images, channels) {
					if want := float32(clamp(v)); got[i] != want && (got[i] == got[i] || want == want) {
						t.Fatalf("%s, %d channels, activation %d: element %d is %v, want %v", name, channels, act, i, got[i], want)
					}
				}
			}
		})
	})
}
