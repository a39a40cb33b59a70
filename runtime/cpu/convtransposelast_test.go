package cpu

import "testing"

// The results are those with the channels first.
func TestConvTransposeLast32(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		check := func(name string, images, channels, filters, groups int, win Window) {
			if groups > 1 {
				return
			}
			t.Run(name, func(t *testing.T) {
				taps, places := volume(win.Kernel), volume(win.Out)
				x := gaussians[float64](images * channels * places)
				w, bias := gaussians[float64](channels*filters*taps), gaussians[float64](filters)
				planes := make([]float64, images*filters*volume(win.In))
				ConvTranspose(planes, x, w, bias, make([]float64, filters*taps*places), ConvShape{Images: images, Channels: channels, Filters: filters, Groups: 1, Window: win})
				want := channelsLast(planes, images, filters)

				packed, checkPacked := guarded(PackConvTranspose32Size(channels, filters, taps))
				PackConvTranspose32(packed, narrow32(w), channels, filters, taps)
				checkPacked(t)
				got, check := guarded(len(want))
				last := channelsLast(narrow32(x), images, channels)
				for i := range got {
					got[i] = 7
				}
				ConvTransposeLast32(got, last, packed, narrow32(bias), images, channels, filters, win)
				check(t)
				nearly(t, "ConvTransposeLast32", widen64(got), want, 1e-5*float64(channels*taps+4))
			})
		}
		lastCases(check)
		for _, filters := range []int{1, 16, 19} {
			two := []int{2, 2}
			check("taps apart", 2, 20, filters, 1, Window{
				In: []int{6, 10}, Out: []int{3, 5}, Kernel: two, Stride: two, Dilation: []int{1, 1}, Pad: []int{0, 0}, PadEnd: []int{0, 0},
			})
		}
	})
}
