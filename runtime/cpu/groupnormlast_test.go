package cpu

import (
	"fmt"
	"testing"
)

// The results are those with the channels first, also for elements far from zero.
func TestGroupNormLast32(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, c := range []struct{ images, groups, channels, lines, width int }{
			{1, 1, 1, 1, 1}, {2, 3, 3, 2, 5}, {1, 16, 16, 9, 7}, {2, 5, 20, 4, 11}, {1, 2, 38, 30, 20},
		} {
			x := gaussians[float64](c.images * c.channels * c.lines * c.width)
			for i := range x {
				x[i] += 30
			}
			for _, params := range []int{c.channels, c.groups} {
				scale, bias := gaussians[float64](params), gaussians[float64](params)
				planes := make([]float64, len(x))
				GroupNorm(planes, x, scale, bias, c.groups, c.channels, c.lines*c.width, 1e-3)
				got, check := guarded(len(x))
				run := func() {
					GroupNormLast32(got, channelsLast(narrow32(x), c.images, c.channels), narrow32(scale), narrow32(bias), GroupNormShape{Images: c.images, Groups: c.groups, Channels: c.channels, Lines: c.lines, Width: c.width}, 1e-3)
				}
				run()
				check(t)
				nearly(t, fmt.Sprint("GroupNormLast32 of ", c), widen64(got), channelsLast(planes, c.images, c.channels), 1e-4)
			}
		}
	})
}
