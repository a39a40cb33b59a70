package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// winogradCases are images whose sides leave 0 to 3 pixels after the tiles, with numbers of channels around
// those of kernels.
func winogradCases(yield func(name string, images, channels, filters, groups int, win Window)) {
	ones := []int{1, 1}
	for side := 1; side <= 13; side++ {
		for _, c := range [][2]int{{1, 1}, {7, 9}, {16, 8}, {17, 33}} {
			pad := []int{side % 2, 1}
			in := []int{side + 2, 14 - side + 1}
			win := window(in, []int{3, 3}, ones, ones, pad, []int{1, side % 3 % 2})
			yield(fmt.Sprintf("%d→%d channels, %v", c[0], c[1], in), 1+side%2, c[0], c[1], 1, win)
			yield(fmt.Sprintf("2 times %d→%d channels, %v", c[0], c[1], in), 1+side%2, 2*c[0], 2*c[1], 2, win)
		}
	}
	yield("several chunks", 1, 24, 33, 1, window([]int{30, 27}, []int{3, 3}, ones, ones, ones, ones))
}

// packWinograd transforms filters for tiles of side×side pixels.
func packWinograd(w []float32, channels, filters, groups, side int) []float32 {
	packed := make([]float32, PackConv32Size(filters, channels/groups, 9, groups))
	PackConv32(packed, w, filters, channels/groups, 9, groups)
	if side == 2 {
		return WinogradSmall32(packed, channels/groups, filters, groups)
	}
	if groups > 1 {
		return WinogradGroups32(packed, channels/groups, filters, groups)
	}
	return WinogradFilters32(packed, channels, filters)
}

// The error is within the bound that Winograd32 states.
func TestWinograd32(t *testing.T) { testWinograd32(t, 4, 16) }

func TestWinogradSmall32(t *testing.T) { testWinograd32(t, 2, 18) }

// testWinograd32 computes with tiles of side×side pixels, and an error below 2^-bits of the standard deviation.
func testWinograd32(t *testing.T, side, bits int) {
	eachLevel(t, func(t *testing.T) {
		winogradCases(func(name string, images, channels, filters, groups int, win Window) {
			t.Run(name, func(t *testing.T) {
				x := gaussians[float64](images * channels * volume(win.In))
				w := gaussians[float64](filters * channels / groups * 9)
				bias := gaussians[float64](filters)
				planes := make([]float64, images*filters*volume(win.Out))
				naiveConv(planes, x, w, bias, images, channels, filters, groups, win)
				want := channelsLast(planes, images, filters)
				res := gaussians[float64](len(want))
				u := packWinograd(narrow32(w), channels, filters, groups, side)
				last := channelsLast(narrow32(x), images, channels)
				tol := math.Ldexp(1, -bits) * math.Sqrt(float64(9*channels))
				got, check := guarded(len(want))
				Winograd32(got, last, u, narrow32(bias), nil, ConvShape{Images: images, Channels: channels, Filters: filters, Groups: groups, Window: win}, ActNone)
				check(t)
				nearly(t, "Winograd32", widen64(got), want, tol)
				for i := range want {
					want[i] += res[i]
				}
				for act, f := range map[Act]func(float64) float64{
					ActRelu: func(v float64) float64 { return max(v, 0) },
					ActSilu: exactSilu,
				} {
					exact := make([]float64, len(want))
					for i, v := range want {
						exact[i] = f(v)
					}
					Winograd32(got, last, u, narrow32(bias), narrow32(res), ConvShape{Images: images, Channels: channels, Filters: filters, Groups: groups, Window: win}, act)
					check(t)
					nearly(t, fmt.Sprint("Winograd32 with residual and activation ", act), widen64(got), exact, tol)
				}
			})
		})
	})
}

// The bits of an image do not depend on the threads, nor on other images.
func TestWinogradSameBits(t *testing.T) {
	for _, side := range []int{4, 2} {
		t.Run(fmt.Sprintf("tiles of %d×%d", side, side), func(t *testing.T) { testWinogradSameBits(t, side) })
	}
}

func testWinogradSameBits(t *testing.T, side int) {
	defer SetThreads(0)
	win := window([]int{28, 29}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}, []int{1, 1})
	const images, channels = 3, 48
	rng := rand.New(rand.NewPCG(3, 4))
	x := randoms(rng, images*channels*28*29)
	u := packWinograd(randoms(rng, channels*channels*9), channels, channels, 1, side)
	eachLevel(t, func(t *testing.T) {
		want, got := make([]float32, len(x)), make([]float32, len(x))
		SetThreads(1)
		for i := range images {
			n := len(x) / images
			Winograd32(want[i*n:(i+1)*n], x[i*n:(i+1)*n], u, nil, nil, ConvShape{Images: 1, Channels: channels, Filters: channels, Window: win}, ActTanh)
		}
		for threads := 1; threads <= 3; threads++ {
			SetThreads(threads)
			run := func() {
				Winograd32(got, x, u, nil, nil, ConvShape{Images: images, Channels: channels, Filters: channels, Window: win}, ActTanh)
			}
			run()
			if !slices.Equal(got, want) {
				t.Errorf("%d threads differ from image after image", threads)
			}
			if n := allocations(5, run); n != 0 && !raceEnabled {
				t.Errorf("%d threads: %v allocations", threads, n)
			}
		}
	})
}
