package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// planeCases are convolutions of planes, with sizes around those of the tiles.
func planeCases(yield func(name string, images, channels, filters, groups int, win Window)) {
	type axes struct{ in, kernel, stride, dilation, pad, padEnd []int }
	planes := func(name string, images, planes, filters int, a axes) {
		with := func(first int, rest []int) []int { return append([]int{first}, rest...) }
		win := window(with(planes, a.in), with(planes, a.kernel), with(1, a.stride), with(1, a.dilation), with(0, a.pad), with(0, a.padEnd))
		yield(fmt.Sprintf("%s, %d planes to %d filters", name, planes, filters), images, 1, filters, 1, win)
	}
	two := func(n int) []int { return []int{n, n} }
	for i := range 56 {
		h, w, stride, kernel := 3+i%11, 7+i, 1+i%3, 1+i%4
		planes(fmt.Sprintf("%d×%d", h, w), 1+i%2, 1+i%3, 8+8*(i%9), axes{[]int{h, w}, two(kernel), two(stride), two(1), two(kernel / 2), two(kernel / 2)})
	}
	planes("no padding", 2, 3, 24, axes{[]int{13, 70}, two(3), []int{1, 2}, two(1), two(0), two(0)})
	planes("wide padding", 1, 2, 40, axes{[]int{5, 12}, two(3), two(1), two(1), []int{4, 5}, []int{5, 7}})
	planes("windows as large as the image", 1, 2, 16, axes{[]int{3, 12}, []int{5, 9}, two(1), two(1), two(1), two(1)})
	planes("windows larger than the image", 1, 2, 16, axes{[]int{3, 4}, []int{5, 9}, two(1), two(1), two(3), two(6)})
	planes("large windows", 1, 3, 64, axes{[]int{23, 75}, two(7), two(2), two(1), two(3), two(3)})
	planes("too large windows", 1, 4, 32, axes{[]int{23, 40}, two(8), two(2), two(1), two(3), two(3)})
	planes("lines far apart", 1, 3, 32, axes{[]int{19, 40}, two(3), two(2), []int{3, 1}, two(2), two(2)})
	planes("taps far apart", 1, 3, 32, axes{[]int{19, 40}, two(3), two(2), []int{1, 2}, two(2), two(2)})
	planes("patches", 2, 3, 96, axes{[]int{24, 64}, two(4), two(4), two(1), two(0), two(0)})
	planes("no image", 1, 3, 16, axes{[]int{0, 9}, two(3), two(1), two(1), two(2), two(2)})
	planes("one column", 1, 3, 16, axes{[]int{24, 3}, two(3), two(2), two(1), two(1), two(1)})
}

// TestPlanesSameBits: the bits depend neither on threads nor on the vectors of a level, whichever activation follows.
func TestPlanesSameBits(t *testing.T) {
	defer SetThreads(0)
	rng := rand.New(rand.NewPCG(9, 10))
	act := ActNone
	planeCases(func(name string, images, channels, filters, groups int, win Window) {
		act = (act + 1) % (ActHardSwish + 1)
		checkBits(t, rng, name, ConvShape{Images: images, Channels: channels, Filters: filters, Groups: groups, Window: win}, act)
	})
}

// TestPlanesActivations: activations are those of their functions, and NaN remains.
func TestPlanesActivations(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	one := []int{1, 1, 1}
	s := ConvShape{Images: 1, Channels: 1, Filters: 24, Groups: 1, Window: window([]int{2, 9, 40}, []int{2, 3, 3}, []int{1, 1, 2}, one, []int{0, 1, 1}, []int{0, 1, 1})}
	x, packed := randoms(rng, 2*9*40), make([]float32, PackConv32Size(24, 1, 18, 1))
	for i := range x {
		x[i] *= 8
	}
	x[100] = float32(math.NaN())
	PackConv32(packed, randoms(rng, 24*18), 24, 1, 18, 1)
	eachLevel(t, func(t *testing.T) {
		for act := ActNone; act <= ActHardSwish; act++ {
			got, want := make([]float32, 9*20*24), make([]float32, 9*20*24)
			ConvLast32(got, x, packed, nil, nil, s, act)
			ConvLast32(want, x, packed, nil, nil, s, ActNone)
			act.apply(want)
			for i, w := range want {
				if math.IsNaN(float64(w)) != math.IsNaN(float64(got[i])) || math.Abs(float64(got[i]-w)) > 1e-5 {
					t.Fatalf("activation %d: element %d is %v, want %v", act, i, got[i], w)
				}
			}
		}
	})
}

// TestPlanesAllocations: shared turns allocate nothing.
func TestPlanesAllocations(t *testing.T) {
	defer SetThreads(0)
	s := ConvShape{Images: 1, Channels: 1, Filters: 16, Groups: 1, Window: planesWindow(64, 3, 2)}
	x, dst := make([]float32, 3*64*64), make([]float32, 32*32*16)
	packed := make([]float32, PackConv32Size(16, 1, 27, 1))
	eachLevel(t, func(t *testing.T) {
		for threads := 1; threads <= 3; threads++ {
			SetThreads(threads)
			if n := allocations(10, func() { ConvLast32(dst, x, packed, nil, nil, s, ActSilu) }); n != 0 && !raceEnabled {
				t.Errorf("%d threads: %v allocations", threads, n)
			}
		}
	})
}
