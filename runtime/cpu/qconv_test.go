package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// byteConvCases are convolutions of all kinds; groups of one channel and one filter are depthwise
// convolutions.
var byteConvCases = []struct {
	channels, filters, groups int
	win                       Window
}{
	{3, 5, 1, Window{In: []int{7, 9}, Out: []int{7, 9}, Kernel: []int{3, 3}, Stride: []int{1, 1}, Dilation: []int{1, 1}, Pad: []int{1, 1}, PadEnd: []int{1, 1}}},
	{8, 40, 1, Window{In: []int{20, 33}, Out: []int{20, 33}, Kernel: []int{3, 3}, Stride: []int{1, 1}, Dilation: []int{1, 1}, Pad: []int{1, 1}, PadEnd: []int{1, 1}}},
	{4, 6, 2, Window{In: []int{20, 20}, Out: []int{9, 9}, Kernel: []int{3, 3}, Stride: []int{2, 2}, Dilation: []int{1, 1}, Pad: []int{0, 0}, PadEnd: []int{0, 0}}},
	{64, 72, 1, Window{In: []int{7, 17}, Out: []int{7, 17}, Kernel: []int{3, 3}, Stride: []int{1, 1}, Dilation: []int{1, 1}, Pad: []int{1, 1}, PadEnd: []int{1, 1}}},
	{64, 40, 1, Window{In: []int{9, 9}, Out: []int{9, 9}, Kernel: []int{1, 1}, Stride: []int{1, 1}, Dilation: []int{1, 1}, Pad: []int{0, 0}, PadEnd: []int{0, 0}}},
	{8, 17, 1, Window{In: []int{8, 8}, Out: []int{8, 8}, Kernel: []int{1, 1}, Stride: []int{1, 1}, Dilation: []int{1, 1}, Pad: []int{0, 0}, PadEnd: []int{0, 0}}},
	{5, 33, 1, Window{In: []int{9, 8}, Out: []int{5, 4}, Kernel: []int{1, 1}, Stride: []int{2, 2}, Dilation: []int{1, 1}, Pad: []int{0, 0}, PadEnd: []int{0, 0}}},
	{8, 9, 1, Window{In: []int{12, 14}, Out: []int{8, 14}, Kernel: []int{3, 3}, Stride: []int{1, 1}, Dilation: []int{2, 2}, Pad: []int{0, 2}, PadEnd: []int{0, 2}}},
	{2, 3, 1, Window{In: []int{4, 5, 40}, Out: []int{3, 5, 40}, Kernel: []int{2, 3, 3}, Stride: []int{1, 1, 1}, Dilation: []int{1, 1, 1}, Pad: []int{0, 1, 1}, PadEnd: []int{0, 1, 1}}},
	{6, 6, 6, Window{In: []int{23}, Out: []int{21}, Kernel: []int{2}, Stride: []int{1}, Dilation: []int{3}, Pad: []int{0}, PadEnd: []int{1}}},
	{5, 5, 5, Window{In: []int{9, 11}, Out: []int{9, 11}, Kernel: []int{3, 3}, Stride: []int{1, 1}, Dilation: []int{1, 1}, Pad: []int{1, 1}, PadEnd: []int{1, 1}}},
	{64, 64, 64, Window{In: []int{20, 7}, Out: []int{6, 3}, Kernel: []int{2, 3}, Stride: []int{3, 1}, Dilation: []int{4, 2}, Pad: []int{0, 0}, PadEnd: []int{0, 0}}},
	{121, 121, 121, Window{In: []int{9, 12}, Out: []int{5, 6}, Kernel: []int{3, 3}, Stride: []int{2, 2}, Dilation: []int{1, 1}, Pad: []int{1, 0}, PadEnd: []int{1, 1}}},
	{24, 24, 24, Window{In: []int{70}, Out: []int{35}, Kernel: []int{5}, Stride: []int{2}, Dilation: []int{1}, Pad: []int{2}, PadEnd: []int{2}}},
}

// Convolutions of bytes compute what their comments say, at every level, without allocations.
func TestByteConvolutions(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	eachLevel(t, func(t *testing.T) {
		for i, c := range byteConvCases {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				b := newByteConvTest[int8](r, c.channels, c.filters, c.groups, c.win)
				testQConv(t, r, b)
				b.testIntegers(t)
				u := newByteConvTest[uint8](r, c.channels, c.filters, c.groups, c.win)
				testQConv(t, r, u)
				u.testIntegers(t)
			})
		}
	})
}

// byteConvTest is a convolution of two images. Its sums are computed by the loop.
type byteConvTest[X anyInt8] struct {
	channels, filters, groups int
	win                       Window

	x, last    []X // with the channels first, and last
	padding    X
	w          []int8
	shift      []int32 // of each filter
	sums, want []int32 // Σ x·(w-shift), with x in the range of uint8; with the channels first, and last
}

func newByteConvTest[X anyInt8](r *rand.Rand, channels, filters, groups int, win Window) *byteConvTest[X] {
	b := &byteConvTest[X]{channels: channels, filters: filters, groups: groups, win: win, padding: X(r.Uint32())}
	depth, taps := channels/groups, volume(win.Kernel)
	b.x, b.w = randomInt8s[X](r, 2*channels*volume(win.In)), randomInt8s[int8](r, filters*depth*taps)
	b.last = make([]X, len(b.x))
	planesLast(b.last, b.x, 2, channels)
	b.shift = make([]int32, filters)
	for m := 0; m < filters && !b.centered(); m++ {
		b.shift[m] = int32(r.IntN(256) - 128)
	}
	b.sums = make([]int32, 2*filters*volume(win.Out))
	b.want = make([]int32, len(b.sums))
	for i := range b.sums {
		b.sum(i)
	}
	planesLast(b.want, b.sums, 2, filters)
	return b
}

// centered reports whether filters have no zero points.
func (b *byteConvTest[X]) centered() bool { return b.groups == 1 && b.filters%8 == 0 }

// zeros returns the zero points as QConv takes them.
func (b *byteConvTest[X]) zeros() []int32 {
	if b.centered() {
		return nil
	}
	return b.shift
}

// sum computes sum i.
func (b *byteConvTest[X]) sum(i int) {
	plane, place := i/volume(b.win.Out), i%volume(b.win.Out)
	image, m := plane/b.filters, plane%b.filters
	depth, taps := b.channels/b.groups, volume(b.win.Kernel)
	for c := range depth {
		channel := image*b.channels + m/(b.filters/b.groups)*depth + c
		for k := range taps {
			v := b.padding
			if at, ok := placeOf(b.win, place, k); ok {
				v = b.x[channel*volume(b.win.In)+at]
			}
			x := int32(v) + int32(flipSigned[X]())
			b.sums[i] += x * (int32(b.w[(m*depth+c)*taps+k]) - b.shift[m])
		}
	}
}

// placeOf returns the input that tap k reads for an output.
func placeOf(win Window, place, k int) (at int, ok bool) {
	step := 1
	for d := len(win.In) - 1; d >= 0; d-- {
		i := place%win.Out[d]*win.Stride[d] + k%win.Kernel[d]*win.Dilation[d] - win.Pad[d]
		if i < 0 || i >= win.In[d] {
			return 0, false
		}
		at += i * step
		step *= win.In[d]
		place /= win.Out[d]
		k /= win.Kernel[d]
	}
	return at, true
}

func testQConv[X anyInt8](t *testing.T, r *rand.Rand, b *byteConvTest[X]) {
	const zero = 3
	depth, taps, joined := b.channels/b.groups, volume(b.win.Kernel), JoinedTaps(b.groups, b.win)
	packed := make([]int8, PackConv8Size(b.filters, depth, taps, joined, b.groups))
	PackConv8(packed, b.w, b.filters, depth, taps, joined, b.groups)
	add, mult := make([]int32, b.filters), make([]float32, b.filters)
	for m := range add {
		add[m], mult[m] = int32(r.IntN(2000)-1000), r.Float32()/500
	}
	ints, got := make([]int32, len(b.sums)), make([]uint8, len(b.sums))
	run := func() {
		QConv(ints, b.last, packed, Requant{Add: add, Shift: b.zeros(), Zero: 0}, int(b.padding), ConvShape{Images: 2, Channels: b.channels, Filters: b.filters, Groups: b.groups, Window: b.win})
		QConv(got, b.last, packed, Requant{Add: add, Mult: mult, Shift: b.zeros(), Zero: zero, Relu: true}, int(b.padding), ConvShape{Images: 2, Channels: b.channels, Filters: b.filters, Groups: b.groups, Window: b.win})
	}
	check := func(name string) {
		t.Helper()
		for i, s := range b.want {
			m := i % b.filters
			s += add[m]
			y := math.RoundToEven(float64(float32(s) * mult[m]))
			if want := uint8(min(max(y, 0)+zero, 255)); ints[i] != s || got[i] != want {
				t.Fatalf("%s: element %d is %d, %d, want %d, %d", name, i, ints[i], got[i], s, want)
			}
		}
		if n := allocations(3, run); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	run()
	check("QConv")
	if depth > 1 || b.filters != b.groups {
		return
	}
	const parts = 3 // of -255 to 255
	wide, split := make([]int16, len(b.w)), make([]int8, parts*len(b.w))
	for i, w := range b.w {
		wide[i] = int16(w) - int16(b.shift[i/taps])
	}
	SplitTaps(split, wide, b.channels, taps, parts)
	packed = make([]int8, PackDepth8Size(b.channels, parts*taps))
	PackDepth8(packed, split, b.channels, parts*taps)
	run = func() {
		QDepthwise(ints, b.last, packed, Requant{Add: add, Zero: 0}, int(b.padding), DepthwiseShape{Images: 2, Channels: b.channels, Window: b.win})
		QDepthwise(got, b.last, packed, Requant{Add: add, Mult: mult, Zero: zero, Relu: true}, int(b.padding), DepthwiseShape{Images: 2, Channels: b.channels, Window: b.win})
	}
	run()
	check("QDepthwise")
}

// testIntegers tests ConvInteger, with signed and with unsigned filters.
func (b *byteConvTest[X]) testIntegers(t *testing.T) {
	bias, zeros, moved := make([]int32, b.filters), make([]int8, b.filters), make([]uint8, b.filters)
	for m := range bias {
		bias[m], zeros[m], moved[m] = int32(m)*100, int8(b.shift[m]), uint8(b.shift[m]+128)
	}
	w := make([]uint8, len(b.w))
	for i, v := range b.w {
		w[i] = uint8(int32(v) + 128)
	}
	want, depth := make([]int32, len(b.sums)), len(b.w)/b.filters
	for i, s := range b.sums {
		m, sum := i/volume(b.win.Out)%b.filters, int32(0)
		for _, v := range b.w[m*depth:][:depth] {
			sum += int32(v) - b.shift[m]
		}
		want[i] = s - (int32(b.padding)+int32(flipSigned[X]()))*sum + bias[m]
	}
	got, zero := make([]int32, len(want)), []X{b.padding}
	ConvInteger(got, b.x, b.w, zero, zeros, bias, ConvShape{Images: 2, Channels: b.channels, Filters: b.filters, Groups: b.groups, Window: b.win})
	if !slices.Equal(got, want) {
		t.Errorf("int8 filters: got %v, want %v", got, want)
	}
	ConvInteger(got, b.x, w, zero, moved, bias, ConvShape{Images: 2, Channels: b.channels, Filters: b.filters, Groups: b.groups, Window: b.win})
	if !slices.Equal(got, want) {
		t.Errorf("uint8 filters: got %v, want %v", got, want)
	}
	wantLast, totals := make([]int32, len(want)), make([]int32, b.filters)
	for i := range totals {
		for _, v := range b.w[i*depth:][:depth] {
			totals[i] += int32(v) - b.shift[i]
		}
	}
	planesLast(wantLast, want, 2, b.filters)
	for i := range wantLast {
		wantLast[i] -= bias[i%b.filters]
	}
	taps, joined := volume(b.win.Kernel), JoinedTaps(b.groups, b.win)
	packed := make([]int8, PackConv8Size(b.filters, depth/taps, taps, joined, b.groups))
	PackConv8(packed, b.w, b.filters, depth/taps, taps, joined, b.groups)
	run := func() {
		ConvIntegerLast(got, b.last, packed, totals, b.shift, zero, ConvShape{Images: 2, Channels: b.channels, Filters: b.filters, Groups: b.groups, Window: b.win})
	}
	run()
	if n := allocations(3, run); n > 0 || !slices.Equal(got, wantLast) {
		t.Errorf("ConvIntegerLast: %v allocations, got %v, want %v", n, got, wantLast)
	}
}

func TestMaxPoolLast8(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	win := Window{In: []int{9, 12}, Out: []int{5, 7}, Kernel: []int{3, 2}, Stride: []int{2, 2}, Dilation: []int{1, 1}, Pad: []int{1, 1}, PadEnd: []int{1, 1}}
	eachLevel(t, func(t *testing.T) {
		for _, channels := range []int{1, 15, 16, 17, 40, 64} {
			testMaxPoolLast8[int8](t, r, channels, win)
			testMaxPoolLast8[uint8](t, r, channels, win)
		}
	})
}

func testMaxPoolLast8[T int8 | uint8](t *testing.T, r *rand.Rand, channels int, win Window) {
	x := randomInt8s[T](r, 2*channels*volume(win.In))
	last := make([]T, len(x))
	planesLast(last, x, 2, channels)
	planes := make([]T, 2*channels*volume(win.Out))
	want, got := make([]T, len(planes)), make([]T, len(planes))
	MaxPool(planes, x, 2*channels, win)
	planesLast(want, planes, 2, channels)
	if MaxPoolLast8(got, last, 2, channels, win); !slices.Equal(got, want) {
		t.Errorf("%d channels: got %v, want %v", channels, got, want)
	}
}
