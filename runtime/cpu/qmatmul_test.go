package cpu

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestQMatMul(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	eachLevel(t, func(t *testing.T) {
		for _, s := range [][3]int{{1, 784, 512}, {1, 3, 5}, {6, 10, 33}, {17, 8, 40}} {
			m, k, n := s[0], s[1], s[2]
			a, b := randomOctets[int8](r, m*k), randomOctets[int8](r, k*n)
			packed, add, mult := make([]int8, PackB8Size(k, n)), make([]int32, n), make([]float32, n)
			PackB8(packed, b, k, n)
			for j := range n {
				add[j], mult[j] = int32(r.IntN(1000)), r.Float32()/1000
			}
			sums, floats, bytes := make([]int32, m*n), make([]float32, m*n), make([]uint8, m*n)
			QMatMul(sums, a, packed, add, nil, 0, false, m, k, n)
			QMatMul(floats, a, packed, add, mult, 0, true, m, k, n)
			QMatMul(bytes, a, packed, add, mult, 9, true, m, k, n)
			for i := range m {
				for j := range n {
					sum := add[j]
					for l := range k {
						sum += (int32(a[i*k+l]) + 128) * int32(b[l*n+j])
					}
					x := max(float32(sum)*mult[j], 0)
					q := uint8(min(math.RoundToEven(float64(x))+9, 255))
					if o := i*n + j; sums[o] != sum || floats[o] != x || bytes[o] != q {
						t.Fatalf("%v: [%d, %d] = %d, %v, %d, want %d, %v, %d", s, i, j, sums[o], floats[o], bytes[o], sum, x, q)
					}
				}
			}
		}
	})
}

// Convolutions by way of products are those of the loop.
func TestConvIntegers(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	eachLevel(t, func(t *testing.T) {
		for _, c := range []struct {
			channels, filters, groups int
			win                       Window
		}{
			{3, 5, 1, Window{In: []int{7, 9}, Out: []int{7, 9}, Kernel: []int{3, 3}, Stride: []int{1, 1}, Dilation: []int{1, 1}, Pad: []int{1, 1}, PadEnd: []int{1, 1}}},
			{4, 6, 2, Window{In: []int{20, 20}, Out: []int{9, 9}, Kernel: []int{3, 3}, Stride: []int{2, 2}, Dilation: []int{1, 1}, Pad: []int{0, 0}, PadEnd: []int{0, 0}}},
			{8, 17, 1, Window{In: []int{8, 8}, Out: []int{8, 8}, Kernel: []int{1, 1}, Stride: []int{1, 1}, Dilation: []int{1, 1}, Pad: []int{0, 0}, PadEnd: []int{0, 0}}},
			{6, 6, 6, Window{In: []int{23}, Out: []int{21}, Kernel: []int{2}, Stride: []int{1}, Dilation: []int{3}, Pad: []int{0}, PadEnd: []int{1}}},
			{2, 3, 1, Window{In: []int{4, 5, 40}, Out: []int{3, 5, 40}, Kernel: []int{2, 3, 3}, Stride: []int{1, 1, 1}, Dilation: []int{1, 1, 1}, Pad: []int{0, 1, 1}, PadEnd: []int{0, 1, 1}}},
		} {
			in, out, taps := product1(c.win.In), product1(c.win.Out), product1(c.win.Kernel)
			x, w := randomOctets[int8](r, 2*c.channels*in), randomOctets[uint8](r, c.filters*c.channels/c.groups*taps)
			bias, zero := make([]int32, c.filters), []int8{-5}
			bias[0] = 1000
			got, want := make([]int32, 2*c.filters*out), make([]int32, 2*c.filters*out)
			wide := make([]int8, len(w)) // half of the same, in a form that goes by the loop
			each := make([]int8, c.filters)
			for i, v := range w {
				wide[i] = int8(int(v)-128) / 2 * 2
				w[i] = uint8(int(wide[i]) + 128)
			}
			ConvInteger(got, x, w, zero, []uint8{128}, bias, 2, c.channels, c.filters, c.groups, c.win)
			for i := range wide {
				wide[i] = int8(int(wide[i])/2) + 1
			}
			fill(each, 1)
			bias[0] = 500
			ConvInteger(want, x, wide, zero, each, bias, 2, c.channels, c.filters, c.groups, c.win)
			for i := range want {
				want[i] *= 2
			}
			if !slices.Equal(got, want) {
				t.Errorf("%+v: got %v, want %v", c, got, want)
			}
		}
	})
}

func product1(x []int) int {
	p := 1
	for _, v := range x {
		p *= v
	}
	return p
}
