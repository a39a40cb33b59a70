package cpu

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A depthwise convolution of bytes is what the comment of QConv says, whatever the steps and the padding, and allocates
// nothing.
func TestQConvDepthwise(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	eachLevel(t, func(t *testing.T) {
		for _, win := range []Window{
			{In: []int{9, 11}, Out: []int{9, 11}, Kernel: []int{3, 3}, Stride: []int{1, 1}, Dilation: []int{1, 1}, Pad: []int{1, 1}, PadEnd: []int{1, 1}},
			{In: []int{9, 12}, Out: []int{5, 6}, Kernel: []int{3, 3}, Stride: []int{2, 2}, Dilation: []int{1, 1}, Pad: []int{1, 0}, PadEnd: []int{1, 1}},
			{In: []int{20, 7}, Out: []int{6, 3}, Kernel: []int{2, 3}, Stride: []int{3, 1}, Dilation: []int{4, 2}, Pad: []int{0, 0}, PadEnd: []int{0, 0}},
			{In: []int{15}, Out: []int{8}, Kernel: []int{5}, Stride: []int{2}, Dilation: []int{1}, Pad: []int{2}, PadEnd: []int{2}},
		} {
			testDepthwise(t, r, win)
		}
	})
}

func testDepthwise(t *testing.T, r *rand.Rand, win Window) {
	const images, channels, padding, zero = 2, 5, -7, 3
	in, out, taps := product1(win.In), product1(win.Out), product1(win.Kernel)
	x, w := randomOctets[int8](r, images*channels*in), randomOctets[int8](r, channels*taps)
	packed := make([]int8, PackA8Size(channels, taps))
	PackA8(packed, w, channels, taps)
	add, mult := make([]int32, channels), make([]float32, channels)
	for c := range add {
		add[c], mult[c] = int32(r.IntN(2000)-1000), r.Float32()/500
	}
	sums := make([]int32, images*channels*out)
	naiveDepthwise(sums, x, w, padding, channels, win)
	want := make([]uint8, len(sums))
	for i := range sums {
		c := i / out % channels
		sums[i] += add[c]
		y := math.RoundToEven(float64(float32(sums[i])*mult[c])) + zero
		want[i] = uint8(max(zero, min(255, y)))
	}
	ints, got := make([]int32, len(sums)), make([]uint8, len(sums))
	QConv(ints, x, packed, add, nil, padding, 0, false, images, channels, channels, channels, win)
	if !slices.Equal(ints, sums) {
		t.Errorf("%+v: sums are %v, want %v", win, ints, sums)
	}
	run := func() {
		QConv(got, x, packed, add, mult, padding, zero, true, images, channels, channels, channels, win)
	}
	run()
	if !slices.Equal(got, want) {
		t.Errorf("%+v: got %v, want %v", win, got, want)
	}
	if n := testing.AllocsPerRun(5, run); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// naiveDepthwise adds up products, where an int8 of x counts from -128 on.
func naiveDepthwise(dst []int32, x, w []int8, padding int8, channels int, win Window) {
	g := newGrid(win)
	for i := range dst {
		plane, y, z := i/(g.oh*g.ow), i/g.ow%g.oh, i%g.ow
		for k := range g.kh * g.kw {
			h, v := y*g.sh+k/g.kw*g.dh-g.ph, z*g.sw+k%g.kw*g.dw-g.pw
			p := padding
			if h >= 0 && h < g.ih && v >= 0 && v < g.iw {
				p = x[(plane*g.ih+h)*g.iw+v]
			}
			dst[i] += (int32(p) + 128) * int32(w[plane%channels*g.kh*g.kw+k])
		}
	}
}
