package cpu

import (
	"fmt"
	"testing"
)

// BenchmarkConvLast32 times convolutions to few channels, with one thread.
func BenchmarkConvLast32(b *testing.B) {
	defer SetThreads(0)
	SetThreads(1)
	for _, c := range []struct{ side, channels, filters, groups, taps, stride int }{
		{64, 48, 48, 6, 3, 2},
		{32, 48, 48, 6, 3, 1},
		{32, 104, 104, 13, 3, 2},
		{16, 104, 104, 13, 3, 1},
		{8, 208, 208, 26, 3, 1},
		{4, 440, 440, 55, 3, 1},
		{56, 48, 48, 6, 3, 1},
		{7, 440, 440, 55, 3, 1},
		{16, 48, 12, 1, 3, 1},
		{8, 48, 12, 1, 3, 1},
		{4, 48, 12, 1, 3, 1},
	} {
		win := squareWindow(c.side, c.taps, c.stride)
		shape := ConvShape{Images: 1, Channels: c.channels, Filters: c.filters, Groups: c.groups, Window: win}
		benchConvLast(b, fmt.Sprintf("%dx%dx%dto%dgroups%dstride%d", c.side, c.side, c.channels, c.filters, c.groups, c.stride), shape, c.channels/c.groups, c.taps*c.taps)
	}
	for _, c := range []struct{ side, filters, taps, stride int }{
		{128, 8, 3, 2}, {128, 16, 3, 2}, {128, 24, 3, 2}, {128, 32, 3, 2}, {128, 24, 7, 2}, {128, 64, 7, 2}, {224, 32, 3, 2}, {32, 16, 3, 1}, {128, 96, 4, 4},
	} {
		shape := ConvShape{Images: 1, Channels: 1, Filters: c.filters, Groups: 1, Window: planesWindow(c.side, c.taps, c.stride)}
		benchConvLast(b, fmt.Sprintf("planes%dx%dto%dtaps%d", c.side, c.side, c.filters, c.taps), shape, 1, 3*c.taps*c.taps)
	}
}

// planesWindow is the window of three planes of an image of side×side pixels, as the first axis.
func planesWindow(side, taps, stride int) Window {
	win := squareWindow(side, taps, stride)
	for _, a := range []struct {
		sizes *[]int
		first int
	}{{&win.In, 3}, {&win.Out, 1}, {&win.Kernel, 3}, {&win.Stride, 1}, {&win.Dilation, 1}, {&win.Pad, 0}, {&win.PadEnd, 0}} {
		*a.sizes = append([]int{a.first}, *a.sizes...)
	}
	return win
}

// squareWindow is the window of taps×taps pixels for images of side×side pixels, with padding.
func squareWindow(side, taps, stride int) Window {
	pad := taps / 2
	out := (side-1)/stride + 1
	two := func(n int) []int { return []int{n, n} }
	return Window{In: two(side), Out: two(out), Kernel: two(taps), Stride: two(stride), Dilation: two(1), Pad: two(pad), PadEnd: two(pad)}
}

func benchConvLast(b *testing.B, name string, s ConvShape, depth, taps int) {
	x, w := gaussians[float32](s.Images*s.Channels*sizeOf(s.Window.In)), gaussians[float32](s.Filters*depth*taps)
	bias, dst := gaussians[float32](s.Filters), make([]float32, s.Images*s.Filters*sizeOf(s.Window.Out))
	packed := make([]float32, PackConv32Size(s.Filters, depth, taps, s.Groups))
	PackConv32(packed, w, s.Filters, depth, taps, s.Groups)
	for _, l := range Levels()[1:] {
		b.Run(fmt.Sprintf("%s/%v", name, l), func(b *testing.B) {
			defer SetLevel(SetLevel(l))
			for b.Loop() {
				ConvLast32(dst, x, packed, bias, nil, s, ActRelu)
			}
			b.ReportMetric(2*float64(len(dst)*depth*taps)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
		})
	}
}
