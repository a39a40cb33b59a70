package cpu

import (
	"fmt"
	"math"
	"testing"
)

// adjacentCases are convolutions with few filters: numbers of places that divide a line or not, steps,
// padding, distant lines.
func adjacentCases(yield func(name string, images, channels, filters, places int, win Window)) {
	yield("line", 1, 1, 1, 4, window([]int{11}, []int{3}, []int{1}, []int{1}, []int{1}, []int{1}))
	yield("line, steps of 2", 2, 3, 2, 2, window([]int{12}, []int{4}, []int{2}, []int{1}, []int{1}, []int{2}))
	yield("steps beyond the taps", 1, 2, 3, 3, window([]int{13}, []int{2}, []int{3}, []int{1}, []int{0}, []int{1}))
	yield("plane", 1, 2, 3, 8, window([]int{5, 9}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}, []int{1, 1}))
	yield("plane, distant lines", 1, 2, 1, 3, window([]int{7, 6}, []int{3, 2}, []int{2, 1}, []int{2, 1}, []int{2, 0}, []int{0, 1}))
	yield("plane, no padding", 2, 1, 5, 2, window([]int{4, 7}, []int{2, 3}, []int{1, 2}, []int{1, 1}, []int{0, 0}, []int{0, 0}))
	yield("volume", 1, 1, 2, 2, window([]int{3, 3, 5}, []int{2, 2, 3}, []int{1, 1, 1}, []int{1, 1, 1}, []int{0, 1, 1}, []int{1, 0, 1}))
	yield("two panels", 1, 2, 20, 2, window([]int{3, 4}, []int{2, 2}, []int{1, 1}, []int{1, 1}, []int{0, 0}, []int{0, 0}))
}

// An element that is not finite affects only the windows that contain it, at any place.
func TestConvLastAdjacentNotFinite(t *testing.T) {
	defer SetThreads(0)
	eachLevel(t, func(t *testing.T) {
		adjacentCases(func(name string, images, channels, filters, places int, win Window) {
			t.Run(name, func(t *testing.T) {
				c := newAdjacentTest(images, channels, filters, places, win)
				for i := range c.x {
					c.spoilt(t, i, ActNone)
				}
			})
		})
	})
}

// The same holds if threads share the search for such elements, and with every activation.
func TestConvLastAdjacentNotFiniteShared(t *testing.T) {
	defer SetThreads(0)
	eachLevel(t, func(t *testing.T) {
		win := window([]int{70, 90}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}, []int{1, 1})
		c := newAdjacentTest(1, 2, 3, 8, win)
		if n := len(c.want); n < vecLong {
			t.Fatalf("%d results are too few to be shared", n)
		}
		for act := ActNone; act <= ActHardSwish; act++ {
			c.spoilt(t, len(c.x)-3*int(act)-1, act)
		}
	})
}

// adjacentTest is a convolution whose input has one element that is not finite.
type adjacentTest struct {
	images, channels, filters, places int
	win                               Window

	x, w, bias           []float64 // in the layout of naiveConv
	plain, adjacent      []float32 // the filters, packed
	bias32               []float32
	want                 []float64
	got, same, untouched []float32
}

func newAdjacentTest(images, channels, filters, places int, win Window) *adjacentTest {
	last := len(win.Kernel) - 1
	lines, taps, step := volume(win.Kernel[:last]), win.Kernel[last], win.Stride[last]
	c := &adjacentTest{images: images, channels: channels, filters: filters, places: places, win: win}
	c.x, c.bias = gaussians[float64](images*channels*volume(win.In)), gaussians[float64](filters)
	c.w = gaussians[float64](filters * channels * lines * taps)
	c.bias32 = narrow32(c.bias)
	c.plain = make([]float32, PackConv32Size(filters, channels, lines*taps, 1))
	PackConv32(c.plain, narrow32(c.w), filters, channels, lines*taps, 1)
	c.adjacent = make([]float32, PackConvAdjacent32Size(filters, channels, lines, taps, step, places))
	PackConvAdjacent32(c.adjacent, narrow32(c.w), filters, channels, lines, taps, step, places)
	n := images * filters * volume(win.Out)
	c.want, c.got, c.same, c.untouched = make([]float64, n), make([]float32, n), make([]float32, n), make([]float32, n)
	ConvLastAdjacent32(c.untouched, c.last(), c.adjacent, c.bias32, ConvShape{Images: images, Channels: channels, Filters: filters, Window: win}, places, ActNone)
	return c
}

// last is the input with the channels last.
func (c *adjacentTest) last() []float32 { return channelsLast(narrow32(c.x), c.images, c.channels) }

// spoilt makes element i not finite. Results are those of the definition. Finite results have the bits of a
// run without the change, and all have those of [ConvLast32].
func (c *adjacentTest) spoilt(t *testing.T, i int, act Act) {
	t.Helper()
	old := c.x[i]
	defer func() { c.x[i] = old }()
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		c.x[i] = bad
		if act == ActNone {
			naiveConv(c.want, c.x, c.w, c.bias, c.images, c.channels, c.filters, 1, c.win)
		}
		want, x := channelsLast(c.want, c.images, c.filters), c.last()
		ConvLast32(c.same, x, c.plain, c.bias32, nil, ConvShape{Images: c.images, Channels: c.channels, Filters: c.filters, Groups: 1, Window: c.win}, act)
		for _, threads := range []int{1, 4} {
			SetThreads(threads)
			ConvLastAdjacent32(c.got, x, c.adjacent, c.bias32, ConvShape{Images: c.images, Channels: c.channels, Filters: c.filters, Window: c.win}, c.places, act)
			what := fmt.Sprintf("%v in place %d, %d threads, activation %d", bad, i, threads, act)
			for k, v := range c.got {
				if !sameOrNaN(v, c.same[k]) {
					t.Fatalf("%s: result %d is %v, that of ConvLast32 %v", what, k, v, c.same[k])
				}
				if act == ActNone && !c.isWanted(k, want[k]) {
					t.Fatalf("%s: result %d is %v, want %v", what, k, v, want[k])
				}
			}
		}
	}
}

// isWanted reports whether result k is that of the definition. Finite results must not depend on the changed
// element.
func (c *adjacentTest) isWanted(k int, want float64) bool {
	switch {
	case math.IsNaN(want):
		return c.got[k] != c.got[k]
	case math.IsInf(want, 0):
		return float64(c.got[k]) == want
	}
	return sameOrNaN(c.got[k], c.untouched[k])
}

// sameOrNaN reports whether a and b have the same bits or are both NaN.
func sameOrNaN(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}

// BenchmarkConvLastAdjacent times convolutions with few filters.
func BenchmarkConvLastAdjacent(b *testing.B) {
	for _, c := range []struct{ side, channels, filters, places int }{{64, 8, 3, 8}, {224, 3, 8, 4}} {
		b.Run(fmt.Sprint(c), func(b *testing.B) {
			ones := []int{1, 1}
			win := window([]int{c.side, c.side}, []int{3, 3}, ones, ones, ones, ones)
			a := newAdjacentTest(1, c.channels, c.filters, c.places, win)
			x := a.last()
			for b.Loop() {
				ConvLastAdjacent32(a.got, x, a.adjacent, a.bias32, ConvShape{Images: 1, Channels: c.channels, Filters: c.filters, Window: win}, c.places, ActRelu)
			}
		})
	}
}
