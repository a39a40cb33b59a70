package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// channelsLast converts images from [images, channels, plane] to [images, plane, channels].
func channelsLast[T any](x []T, images, channels int) []T {
	y := make([]T, len(x))
	plane := len(x) / (images * channels)
	for i, v := range x {
		n, c, p := i/plane/channels, i/plane%channels, i%plane
		y[(n*plane+p)*channels+c] = v
	}
	return y
}

// lastCases are sizes around those of the kernels.
func lastCases(yield func(name string, images, channels, filters, groups int, win Window)) {
	for _, c := range convCases {
		yield(c.name, c.images, c.channels, c.filters, c.groups, c.win)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 60 {
		var in, kernel, stride, dilation, pad, padEnd []int
		for range 1 + rng.IntN(2) {
			in = append(in, 1+rng.IntN(20))
			k, d := 1+rng.IntN(4), 1+rng.IntN(2)
			p, e := rng.IntN(3), rng.IntN(3)
			for (k-1)*d+1 > in[len(in)-1]+p+e {
				p++
			}
			kernel, stride, dilation = append(kernel, k), append(stride, 1+rng.IntN(3)), append(dilation, d)
			pad, padEnd = append(pad, p), append(padEnd, e)
		}
		groups := []int{1, 1, 1, 2, 3}[rng.IntN(5)]
		win := window(in, kernel, stride, dilation, pad, padEnd)
		yield(fmt.Sprint("random ", i), 1+rng.IntN(2), groups*(1+rng.IntN(40)), groups*(1+rng.IntN(70)), groups, win)
	}
	for width := range 26 {
		narrow := window([]int{3, 1 + width}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}, []int{1, 1})
		yield(fmt.Sprint("few filters, width ", 1+width), 1, 5, 1+width%8, 1, narrow)
	}
	wide := window([]int{9, 11}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}, []int{1, 1})
	yield("two blocks of k", 1, 64, 33, 1, wide)
	yield("many blocks of k", 1, 200, 40, 1, wide)
	small := window([]int{3, 4}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}, []int{1, 1})
	yield("pixels half a page apart", 1, 512, 33, 1, small)
	yield("planes", 2, 1, 12, 1, window([]int{3, 12, 57}, []int{3, 3, 3}, []int{1, 2, 2}, []int{1, 1, 1}, []int{0, 1, 1}, []int{0, 1, 1}))
	pick := window([]int{5, 6}, []int{1, 1}, []int{2, 2}, []int{1, 1}, []int{0, 0}, []int{0, 0})
	yield("every second pixel", 2, 256, 33, 1, pick)
	yield("every second pixel, padded", 1, 20, 70, 1, window([]int{5, 6}, []int{1, 1}, []int{2, 2}, []int{1, 1}, []int{1, 1}, []int{1, 0}))
	pairCases(yield)
	planeCases(yield)
	yield("columns of the last axis alone", 1, 20, 40, 2, window([]int{5, 6}, []int{3, 1}, []int{1, 2}, []int{1, 1}, []int{1, 0}, []int{1, 0}))
}

// TestConvLast32 compares ConvLast32 with a plain convolution, at each level.
func TestConvLast32(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		lastCases(func(name string, images, channels, filters, groups int, win Window) {
			t.Run(name, func(t *testing.T) {
				taps, depth := sizeOf(win.Kernel), channels/groups
				x := gaussians[float64](images * channels * sizeOf(win.In))
				w := gaussians[float64](filters * depth * taps)
				bias := gaussians[float64](filters)
				planes := make([]float64, images*filters*sizeOf(win.Out))
				naiveConv(planes, x, w, bias, images, channels, filters, groups, win)
				want := channelsLast(planes, images, filters)
				res := gaussians[float64](len(want))

				packed, checkPacked := guarded(PackConv32Size(filters, depth, taps, groups))
				PackConv32(packed, narrow32(w), filters, depth, taps, groups)
				checkPacked(t)
				got, check := guarded(len(want))
				last := channelsLast(narrow32(x), images, channels)
				tol := 1e-5 * float64(depth*taps+4)
				ConvLast32(got, last, packed, narrow32(bias), nil, ConvShape{Images: images, Channels: channels, Filters: filters, Groups: groups, Window: win}, ActNone)
				check(t)
				nearly(t, "ConvLast32", widen64(got), want, tol)
				ConvLast32(got, last, packed, narrow32(bias), narrow32(res), ConvShape{Images: images, Channels: channels, Filters: filters, Groups: groups, Window: win}, ActSilu)
				for i, v := range want {
					want[i] = exactSilu(v + res[i])
				}
				nearly(t, "ConvLast32 with residual and Silu", widen64(got), want, tol)
			})
		})
	})
}

// Places that are computed together have the same results as single ones, whether or not a line is a multiple
// of them.
func TestConvLastAdjacent32(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		lastCases(func(name string, images, channels, filters, groups int, win Window) {
			last := len(win.Kernel) - 1
			if win.Dilation[last] > 1 {
				return
			}
			channels, filters = channels/groups, filters/groups // of one group: the kernel has no others
			lines, taps, step := sizeOf(win.Kernel[:last]), win.Kernel[last], win.Stride[last]
			x := gaussians[float64](images * channels * sizeOf(win.In))
			w, bias := gaussians[float64](filters*channels*lines*taps), gaussians[float64](filters)
			planes := make([]float64, images*filters*sizeOf(win.Out))
			naiveConv(planes, x, w, bias, images, channels, filters, 1, win)
			want := channelsLast(planes, images, filters)
			for i, v := range want {
				want[i] = max(v, 0)
			}
			for _, places := range []int{2, 3, 8} {
				packed, checkPacked := guarded(PackConvAdjacent32Size(filters, channels, lines, taps, step, places))
				PackConvAdjacent32(packed, narrow32(w), filters, channels, lines, taps, step, places)
				checkPacked(t)
				got, check := guarded(len(want))
				ConvLastAdjacent32(got, channelsLast(narrow32(x), images, channels), packed, narrow32(bias), ConvShape{Images: images, Channels: channels, Filters: filters, Window: win}, places, ActRelu)
				check(t)
				nearly(t, fmt.Sprintf("%s, %d places", name, places), widen64(got), want, 1e-5*float64(channels*lines*taps+4))
			}
		})
	})
}

// TestDepthwise32 compares Depthwise32 with a plain convolution, at each level.
func TestDepthwise32(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		lastCases(func(name string, images, channels, _, _ int, win Window) {
			if len(win.In) > 2 {
				return
			}
			t.Run(name, func(t *testing.T) {
				taps := sizeOf(win.Kernel)
				x := gaussians[float64](images * channels * sizeOf(win.In))
				w, bias := gaussians[float64](channels*taps), gaussians[float64](channels)
				planes := make([]float64, images*channels*sizeOf(win.Out))
				naiveConv(planes, x, w, bias, images, channels, channels, channels, win)
				want := channelsLast(planes, images, channels)
				res := gaussians[float64](len(want))

				packed := make([]float32, PackDepthwise32Size(channels, taps))
				PackDepthwise32(packed, narrow32(w), channels, taps)
				got, check := guarded(len(want))
				last := channelsLast(narrow32(x), images, channels)
				Depthwise32(got, last, packed, narrow32(bias), nil, DepthwiseShape{Images: images, Channels: channels, Window: win}, ActRelu)
				check(t)
				for i, v := range want {
					want[i] = max(v, 0)
				}
				nearly(t, "Depthwise32 with Relu", widen64(got), want, 1e-4)

				naiveConv(planes, x, w, make([]float64, channels), images, channels, channels, channels, win)
				want = channelsLast(planes, images, channels)
				Depthwise32(got, last, packed, nil, narrow32(res), DepthwiseShape{Images: images, Channels: channels, Window: win}, ActNone)
				for i := range want {
					want[i] += res[i]
				}
				nearly(t, "Depthwise32 with residual", widen64(got), want, 1e-4)
			})
		})
	})
}

// TestConvOfNoChannels: the sum of no products is zero.
func TestConvOfNoChannels(t *testing.T) {
	shape := ConvShape{Images: 2, Filters: 3, Groups: 1, Window: window([]int{3, 3}, []int{2, 2}, []int{1, 1}, []int{1, 1}, []int{0, 0}, []int{0, 0})}
	bias := []float32{1, -2, 3}
	eachLevel(t, func(t *testing.T) {
		last, first := make([]float32, 2*4*3), make([]float32, 2*3*4)
		ConvLast32(last, nil, make([]float32, PackConv32Size(3, 0, 4, 1)), bias, nil, shape, ActRelu)
		Conv32(first, nil, nil, bias, shape, ActRelu)
		ints := make([]int32, 2*4*3)
		QConv(ints, []uint8{}, make([]int8, PackConv8Size(3, 0, 4, 2, 1)), Requant{Add: []int32{1, -2, 3}}, 0, shape)
		for i := range last {
			channel := i % 3
			if want := max(bias[channel], 0); last[i] != want || first[i/12*12+channel*4+i/3%4] != want || ints[i] != int32(bias[channel]) {
				t.Fatalf("element %d is %v, %v and %v, want %v", i, last[i], first[i/12*12+channel*4+i/3%4], ints[i], want)
			}
		}
	})
}

// The bits of an image do not depend on the threads, nor on other images.
func TestConvLastSameBits(t *testing.T) {
	defer SetThreads(0)
	win := window([]int{12, 13}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}, []int{1, 1})
	const images, channels = 3, 48
	rng := rand.New(rand.NewPCG(3, 4))
	x, w := randoms(rng, images*channels*12*13), randoms(rng, channels*channels*9)
	packed := make([]float32, PackConv32Size(channels, channels, 9, 1))
	PackConv32(packed, w, channels, channels, 9, 1)
	eachLevel(t, func(t *testing.T) {
		for name, conv := range map[string]func(dst, x []float32, images int){
			"ConvLast32": func(dst, x []float32, n int) {
				ConvLast32(dst, x, packed, nil, nil, ConvShape{Images: n, Channels: channels, Filters: channels, Groups: 1, Window: win}, ActTanh)
			},
			"Depthwise32": func(dst, x []float32, n int) {
				Depthwise32(dst, x, w, nil, nil, DepthwiseShape{Images: n, Channels: channels, Window: win}, ActTanh)
			},
		} {
			want := make([]float32, len(x))
			SetThreads(1)
			for i := range images {
				n := len(x) / images
				conv(want[i*n:(i+1)*n], x[i*n:(i+1)*n], 1)
			}
			for threads := 1; threads <= 3; threads++ {
				SetThreads(threads)
				got := make([]float32, len(x))
				conv(got, x, images)
				if !slices.Equal(got, want) {
					t.Errorf("%s with %d threads differs from image after image", name, threads)
				}
				if n := allocations(10, func() { conv(got, x, images) }); n != 0 && !raceEnabled {
					t.Errorf("%s with %d threads: %v allocations", name, threads, n)
				}
			}
		}
	})
}

// TestInterleave checks the kernels that interleave rows, at each level.
func TestInterleave(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for k := 1; k <= 5; k++ {
			for n := range 70 {
				lds := n + n%3
				src := gaussians[float32](k*lds + 1)
				got, check := guarded(k * n)
				interleave(got, src, k, n, lds)
				check(t)
				for i, v := range got {
					if want := src[i%k*lds+i/k]; v != want {
						t.Fatalf("%d rows of %d: element %d is %v, want %v", k, n, i, v, want)
					}
				}
			}
		}
	})
}

// Columns of a wider result have the same elements as the result alone, and the other columns are unchanged.
func TestConvolutionsIntoColumns(t *testing.T) {
	win := window([]int{9, 11}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}, []int{1, 1})
	const channels, filters, width, at, places = 17, 20, 45, 7, 2 * 9 * 11
	rng := rand.New(rand.NewPCG(7, 8))
	x, w, bias := randoms(rng, places*channels), randoms(rng, filters*channels*9), randoms(rng, filters)
	packed := make([]float32, PackConv32Size(filters, channels, 9, 1))
	PackConv32(packed, w, filters, channels, 9, 1)
	u := WinogradFilters32(packed, channels, filters)
	eachLevel(t, func(t *testing.T) {
		for _, act := range []Act{ActNone, ActRelu, ActSilu} {
			for name, f := range map[string]struct{ alone, into func(dst []float32) }{
				"ConvLast": {
					func(dst []float32) {
						ConvLast32(dst, x, packed, bias, nil, ConvShape{Images: 2, Channels: channels, Filters: filters, Groups: 1, Window: win}, act)
					},
					func(dst []float32) {
						ConvLastInto32(dst, x, packed, bias, ConvShape{Images: 2, Channels: channels, Filters: filters, Groups: 1, Window: win}, act, width, at)
					},
				},
				"Winograd": {
					func(dst []float32) {
						Winograd32(dst, x, u, bias, nil, ConvShape{Images: 2, Channels: channels, Filters: filters, Window: win}, act)
					},
					func(dst []float32) {
						WinogradInto32(dst, x, u, bias, ConvShape{Images: 2, Channels: channels, Filters: filters, Window: win}, act, width, at)
					},
				},
			} {
				alone, wide := make([]float32, places*filters), make([]float32, places*width)
				fill(wide, 3)
				f.alone(alone)
				f.into(wide)
				for i, v := range wide {
					want := float32(3)
					if c := i%width - at; c >= 0 && c < filters {
						want = alone[i/width*filters+c]
					}
					if v != want {
						t.Fatalf("%s, activation %d: column %d of place %d is %v, want %v", name, act, i%width, i/width, v, want)
					}
				}
			}
		}
	})
}
