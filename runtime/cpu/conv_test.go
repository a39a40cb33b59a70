package cpu

import (
	"math"
	"math/rand/v2"
	"testing"
)

// window returns a Window over the input in, with the resulting output sizes.
func window(in, kernel, stride, dilation, pad, padEnd []int) Window {
	w := Window{In: in, Kernel: kernel, Stride: stride, Dilation: dilation, Pad: pad, PadEnd: padEnd}
	for i := range in {
		w.Out = append(w.Out, (in[i]+pad[i]+padEnd[i]-(kernel[i]-1)*dilation[i]-1)/stride[i]+1)
	}
	return w
}

func sizeOf(v []int) int {
	n := 1
	for _, d := range v {
		n *= d
	}
	return n
}

var convCases = []struct {
	name                              string
	images, channels, filters, groups int
	win                               Window
}{
	{"1d", 2, 3, 4, 1, window([]int{9}, []int{3}, []int{2}, []int{1}, []int{1}, []int{0})},
	{"pointwise", 2, 5, 7, 1, window([]int{5, 9}, []int{1, 1}, []int{1, 1}, []int{1, 1}, []int{0, 0}, []int{0, 0})},
	{"pointwise strided", 1, 4, 6, 2, window([]int{7, 8}, []int{1, 1}, []int{2, 3}, []int{1, 1}, []int{0, 0}, []int{0, 0})},
	{"same", 1, 3, 20, 1, window([]int{13, 17}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}, []int{1, 1})},
	{"dilated", 2, 2, 4, 2, window([]int{11, 12}, []int{3, 2}, []int{1, 2}, []int{2, 3}, []int{2, 0}, []int{1, 3})},
	{"depthwise", 2, 4, 4, 4, window([]int{10, 9}, []int{3, 5}, []int{2, 1}, []int{1, 1}, []int{1, 2}, []int{1, 2})},
	{"multiplier", 1, 2, 6, 2, window([]int{6, 6}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{0, 0}, []int{0, 0})},
	{"3d", 1, 2, 3, 1, window([]int{5, 6, 7}, []int{2, 3, 3}, []int{1, 2, 2}, []int{2, 1, 1}, []int{1, 0, 1}, []int{0, 1, 1})},
	{"4d", 1, 1, 2, 1, window([]int{3, 4, 3, 4}, []int{2, 2, 2, 2}, []int{1, 1, 1, 1}, []int{1, 1, 1, 1}, []int{0, 1, 0, 1}, []int{0, 0, 0, 0})},
	{"padding beyond the kernel", 1, 2, 3, 1, window([]int{2, 2}, []int{2, 2}, []int{1, 1}, []int{1, 1}, []int{4, 40}, []int{4, 3})},
	{"many panels", 1, 8, 5, 1, window([]int{40, 41}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}, []int{1, 1})},
}

func gaussians[T Float](n int) []T {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	x := make([]T, n)
	for i := range x {
		x[i] = T(float32(r.NormFloat64()))
	}
	return x
}

// naiveConv is a convolution by its definition.
func naiveConv(dst, x, w, bias []float64, images, channels, filters, groups int, win Window) {
	taps, places, size := sizeOf(win.Kernel), sizeOf(win.Out), sizeOf(win.In)
	depth := channels / groups
	for i := range dst {
		o, m := i%places, i/places%filters
		dst[i] = bias[m]
		for c := range depth {
			for k := range taps {
				src, inside := 0, true
				for a, step, ro, rk := len(win.In)-1, 1, o, k; a >= 0; a-- {
					at := ro%win.Out[a]*win.Stride[a] + rk%win.Kernel[a]*win.Dilation[a] - win.Pad[a]
					inside = inside && at >= 0 && at < win.In[a]
					src += at * step
					step *= win.In[a]
					ro, rk = ro/win.Out[a], rk/win.Kernel[a]
				}
				if inside {
					plane := i/places/filters*channels + m/(filters/groups)*depth + c
					dst[i] += w[(m*depth+c)*taps+k] * x[plane*size+src]
				}
			}
		}
	}
}

// TestConv compares Conv with a plain implementation.
func TestConv(t *testing.T) {
	for _, c := range convCases {
		t.Run(c.name, func(t *testing.T) {
			taps := sizeOf(c.win.Kernel)
			x := gaussians[float64](c.images * c.channels * sizeOf(c.win.In))
			w := gaussians[float64](c.filters * c.channels / c.groups * taps)
			bias := gaussians[float64](c.filters)
			want := make([]float64, c.images*c.filters*sizeOf(c.win.Out))
			naiveConv(want, x, w, bias, c.images, c.channels, c.filters, c.groups, c.win)
			got := make([]float64, len(want))
			Conv(got, x, w, bias, ConvShape{Images: c.images, Channels: c.channels, Filters: c.filters, Groups: c.groups, Window: c.win})
			nearly(t, "Conv", got, want, 1e-12)

			got32 := make([]float32, len(want))
			Conv32(got32, narrow32(x), narrow32(w), narrow32(bias), ConvShape{Images: c.images, Channels: c.channels, Filters: c.filters, Groups: c.groups, Window: c.win}, ActNone)
			nearly(t, "Conv32", widen64(got32), want, 1e-4)
			Conv32(got32, narrow32(x), narrow32(w), narrow32(bias), ConvShape{Images: c.images, Channels: c.channels, Filters: c.filters, Groups: c.groups, Window: c.win}, ActRelu)
			for i, v := range want {
				want[i] = max(v, 0)
			}
			nearly(t, "Conv32 with Relu", widen64(got32), want, 1e-4)
		})
	}
}

// The transpose of a convolution is its adjoint: ⟨conv(x), y⟩ = ⟨x, convᵀ(y)⟩.
func TestConvTransposeIsAdjoint(t *testing.T) {
	for _, c := range convCases {
		t.Run(c.name, func(t *testing.T) {
			taps := sizeOf(c.win.Kernel)
			x := gaussians[float64](c.images * c.channels * sizeOf(c.win.In))
			y := gaussians[float64](c.images * c.filters * sizeOf(c.win.Out))
			w := gaussians[float64](c.filters * c.channels / c.groups * taps)
			cx := make([]float64, len(y))
			naiveConv(cx, x, w, make([]float64, c.filters), c.images, c.channels, c.filters, c.groups, c.win)
			ty := make([]float64, len(x))
			cols := make([]float64, c.channels/c.groups*taps*sizeOf(c.win.Out))
			ConvTranspose(ty, y, w, nil, cols, ConvShape{Images: c.images, Channels: c.filters, Filters: c.channels, Groups: c.groups, Window: c.win})
			a, b := 0.0, 0.0
			for i := range y {
				a += cx[i] * y[i]
			}
			for i := range x {
				b += x[i] * ty[i]
			}
			nearly(t, "⟨x, convᵀ(y)⟩", []float64{b}, []float64{a}, 1e-9)
		})
	}
}

// Without offsets a deformable convolution is a convolution.
func TestDeformConvWithoutOffsets(t *testing.T) {
	for _, c := range convCases {
		t.Run(c.name, func(t *testing.T) {
			taps, places := sizeOf(c.win.Kernel), sizeOf(c.win.Out)
			x := gaussians[float64](c.images * c.channels * sizeOf(c.win.In))
			w := gaussians[float64](c.filters * c.channels / c.groups * taps)
			bias := gaussians[float64](c.filters)
			want := make([]float64, c.images*c.filters*places)
			naiveConv(want, x, w, bias, c.images, c.channels, c.filters, c.groups, c.win)
			offset := make([]float64, c.images*taps*len(c.win.In)*places)
			cols := make([]float64, c.channels*taps*places)
			got := make([]float64, len(want))
			DeformConv(got, x, w, offset, bias, nil, cols, DeformShape{Images: c.images, Channels: c.channels, Filters: c.filters, Groups: c.groups, OffsetGroups: 1, Window: c.win})
			nearly(t, "DeformConv", got, want, 1e-12)
		})
	}
}

func TestConvIntegerIsConv(t *testing.T) { eachLevel(t, testConvInteger) }

func testConvInteger(t *testing.T) {
	for _, c := range convCases {
		t.Run(c.name, func(t *testing.T) {
			x := make([]uint8, c.images*c.channels*sizeOf(c.win.In))
			w := make([]int8, c.filters*c.channels/c.groups*sizeOf(c.win.Kernel))
			fx, fw := make([]float64, len(x)), make([]float64, len(w))
			for i := range x {
				x[i] = uint8(i * 37)
				fx[i] = float64(x[i]) - 100
			}
			for i := range w {
				w[i] = int8(i * 51)
				fw[i] = float64(w[i]) + 3
			}
			zeros := make([]int8, c.filters)
			for m := range zeros {
				zeros[m] = int8(-3 - 5*(m%2))
				for i := range len(w) / c.filters {
					fw[m*len(w)/c.filters+i] += float64(5 * (m % 2))
				}
			}
			want := make([]float64, c.images*c.filters*sizeOf(c.win.Out))
			naiveConv(want, fx, fw, make([]float64, c.filters), c.images, c.channels, c.filters, c.groups, c.win)
			got := make([]int32, len(want))
			ConvInteger(got, x, w, []uint8{100}, zeros, nil, ConvShape{Images: c.images, Channels: c.channels, Filters: c.filters, Groups: c.groups, Window: c.win})
			for i := range got {
				if float64(got[i]) != want[i] {
					t.Fatalf("element %d is %d, want %v", i, got[i], want[i])
				}
			}
		})
	}
}

func nearly(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= tol*(1+math.Abs(want[i]))) {
			t.Fatalf("%s: element %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

func narrow32(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
	}
	return y
}

func widen64(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}
