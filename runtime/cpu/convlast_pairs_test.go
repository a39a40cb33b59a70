package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// pairCases are convolutions with groups of eight channels and filters, of sizes around those of the tiles.
func pairCases(yield func(name string, images, channels, filters, groups int, win Window)) {
	one := []int{1, 1}
	for i := range 40 {
		h, w, stride, groups := 1+i%9, 1+i/2, 1+i%2, 2+i%4
		win := window([]int{h, w}, []int{3, 3}, []int{stride, stride}, one, one, one)
		yield(fmt.Sprintf("pairs, %d×%d pixels, stride %d, %d groups", h, w, stride, groups), 1+i%2, 8*groups, 8*groups, groups, win)
	}
	for name, win := range map[string]Window{
		"no padding":      window([]int{13, 37}, []int{3, 3}, []int{1, 2}, one, []int{0, 0}, []int{0, 0}),
		"wide padding":    window([]int{5, 6}, []int{3, 3}, one, one, []int{4, 5}, []int{5, 7}),
		"many lines":      window([]int{70, 24}, []int{3, 3}, one, one, one, one),
		"long lines":      window([]int{9, 150}, []int{2, 3}, []int{2, 1}, one, one, one),
		"lines left out":  window([]int{23, 14}, []int{1, 3}, []int{3, 2}, one, []int{0, 1}, []int{0, 1}),
		"lines far apart": window([]int{9, 16}, []int{3, 3}, one, []int{2, 1}, one, one),
		"no image":        window([]int{0, 0}, []int{3, 3}, one, one, []int{3, 4}, []int{3, 4}),
	} {
		yield("pairs, "+name, 2, 24, 24, 3, win)
	}
}

// TestPackPairs compares filters of pairs with their documentation.
func TestPackPairs(t *testing.T) {
	const groups, taps, filters = 5, 9, 8 * 5
	w := gaussians[float32](filters * 8 * taps)
	got, check := guarded(PackConv32Size(filters, 8, taps, groups))
	PackConv32(got, w, filters, 8, taps, groups)
	check(t)
	var want []float32
	for pair := range 3 {
		for tap := range taps {
			for r := range 8 {
				for f := range 8 {
					for second := range 2 {
						filter := (min(2*pair, groups-2)+second)*8 + f
						want = append(want, w[(filter*8+(f+r)%8)*taps+tap])
					}
				}
			}
		}
	}
	if got := got[groups*PackB32Size(8*taps, 8):]; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// The bits of pairs depend neither on threads nor on the vectors of a level.
func TestPairsSameBits(t *testing.T) {
	defer SetThreads(0)
	rng := rand.New(rand.NewPCG(5, 6))
	pairCases(func(name string, images, channels, filters, groups int, win Window) {
		checkBits(t, rng, name, ConvShape{Images: images, Channels: channels, Filters: filters, Groups: groups, Window: win}, ActRelu)
	})
}

// checkBits checks that the bits of [ConvLast32] depend neither on threads nor on the vectors of a level.
func checkBits(t *testing.T, rng *rand.Rand, name string, s ConvShape, act Act) {
	depth, taps := s.Channels/s.Groups, sizeOf(s.Window.Kernel)
	x, bias := randoms(rng, s.Images*s.Channels*sizeOf(s.Window.In)), randoms(rng, s.Filters)
	packed := make([]float32, PackConv32Size(s.Filters, depth, taps, s.Groups))
	PackConv32(packed, randoms(rng, s.Filters*depth*taps), s.Filters, depth, taps, s.Groups)
	var want []float32
	eachLevel(t, func(t *testing.T) {
		for _, threads := range []int{1, 2, 5} {
			if level == Portable {
				continue
			}
			SetThreads(threads)
			dst := make([]float32, s.Images*s.Filters*sizeOf(s.Window.Out))
			ConvLast32(dst, x, packed, bias, nil, s, act)
			if want == nil {
				want = dst
			}
			if !slices.EqualFunc(dst, want, func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }) {
				t.Errorf("%s: other bits with %d threads", name, threads)
			}
		}
	})
}

// An infinity and a NaN are in the sums of their windows and groups only.
func TestPairsNotFinite(t *testing.T) {
	const side, groups = 16, 3
	one := []int{1, 1}
	s := ConvShape{Images: 1, Channels: 8 * groups, Filters: 8 * groups, Groups: groups, Window: window([]int{side, side}, []int{3, 3}, one, one, one, one)}
	w := make([]float32, s.Filters*8*9)
	for i := range w {
		w[i] = 1
	}
	packed := make([]float32, PackConv32Size(s.Filters, 8, 9, groups))
	PackConv32(packed, w, s.Filters, 8, 9, groups)
	for _, v := range []float32{float32(math.Inf(1)), float32(math.NaN())} {
		eachLevel(t, func(t *testing.T) {
			x, dst := make([]float32, side*side*s.Channels), make([]float32, side*side*s.Filters)
			const py, px, group = 5, 7, 1
			x[(py*side+px)*s.Channels+group*8+3] = v
			ConvLast32(dst, x, packed, nil, nil, s, ActNone)
			for i, got := range dst {
				y, x, g := i/s.Filters/side, i/s.Filters%side, i%s.Filters/8
				near := max(y-py, py-y) <= 1 && max(x-px, px-x) <= 1 && g == group
				if finite := got == 0; finite == near {
					t.Fatalf("%v: element %d, %d of group %d is %v", v, y, x, g, got)
				}
			}
		})
	}
}

// TestPairsOfOlderVersion: filters that an older version has packed, without pairs, give the same values.
func TestPairsOfOlderVersion(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	one := []int{1, 1}
	s := ConvShape{Images: 1, Channels: 24, Filters: 24, Groups: 3, Window: window([]int{9, 16}, []int{3, 3}, one, one, one, one)}
	packed := make([]float32, PackConv32Size(24, 8, 9, 3))
	PackConv32(packed, randoms(rng, 24*8*9), 24, 8, 9, 3)
	x, want, got := randoms(rng, 9*16*24), make([]float32, 9*16*24), make([]float32, 9*16*24)
	ConvLast32(want, x, packed, nil, nil, s, ActNone)
	ConvLast32(got, x, packed[:len(packed)-pairsSize(24, 8, 9, 3)], nil, nil, s, ActNone)
	for i, w := range want {
		if math.Abs(float64(got[i]-w)) > 1e-4 {
			t.Fatalf("element %d is %v, want %v", i, got[i], w)
		}
	}
}
