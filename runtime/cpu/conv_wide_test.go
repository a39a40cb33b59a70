package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A batch of small images has the same bits as single images, which another kernel computes, for any number
// of threads.
func TestConvWide(t *testing.T) {
	defer SetThreads(0)
	const images, channels, filters = 5, 4, 6
	windows := []Window{
		{In: []int{9, 7}, Out: []int{9, 7}, Kernel: []int{3, 3}, Stride: []int{1, 1}, Dilation: []int{1, 1}, Pad: []int{1, 1}, PadEnd: []int{1, 1}},
		{In: []int{14, 14}, Out: []int{10, 10}, Kernel: []int{5, 5}, Stride: []int{1, 1}, Dilation: []int{1, 1}, Pad: []int{0, 0}, PadEnd: []int{0, 0}},
		{In: []int{5, 6}, Out: []int{6, 3}, Kernel: []int{3, 2}, Stride: []int{1, 1}, Dilation: []int{1, 3}, Pad: []int{1, 0}, PadEnd: []int{2, 0}},
		{In: []int{40}, Out: []int{41}, Kernel: []int{4}, Stride: []int{1}, Dilation: []int{1}, Pad: []int{2}, PadEnd: []int{2}},
	}
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 9))
		for _, win := range windows {
			for _, groups := range []int{1, 2} {
				in, out := channels*volume(win.In), filters*volume(win.Out)
				x, w, bias, res := randoms(rng, images*in), randoms(rng, filters*channels/groups*volume(win.Kernel)), randoms(rng, filters), randoms(rng, images*out)
				want := make([]float32, images*out)
				for i := range images {
					ConvAdd32(row(want, i, out), row(x, i, in), w, bias, row(res, i, out), ConvShape{Images: 1, Channels: channels, Filters: filters, Groups: groups, Window: win}, ActRelu)
				}
				for _, threads := range []int{1, 3} {
					SetThreads(threads)
					got, check := guarded(images * out)
					if !convWide(got, x, w, bias, res, ConvShape{Images: images, Channels: channels, Filters: filters, Groups: groups, Window: win}, ActRelu) {
						t.Fatalf("window %v is not taken", win)
					}
					check(t)
					if !slices.Equal(got, want) {
						t.Fatalf("window %v, %d groups: other bits", win, groups)
					}
				}
			}
		}
	})
}
