package cpu

import (
	"fmt"
	"math"
	"testing"
)

var acts = []Act{ActNone, ActRelu, ActSigmoid, ActTanh, ActGelu, ActGeluTanh, ActSilu, ActRelu6, ActHardSigmoid, ActHardSwish}

// TestAddAct compares the residual and the activation after a product in float32, with vector instructions,
// with float64.
func TestAddAct(t *testing.T) {
	const n = 5000 // more than a block
	for _, act := range acts {
		t.Run(fmt.Sprint(act), func(t *testing.T) {
			x, res := make([]float32, n), make([]float32, n)
			x64, res64 := make([]float64, n), make([]float64, n)
			for i := range x {
				x[i], res[i] = float32(i%17)-8, float32(i%5)/4
				x64[i], res64[i] = float64(x[i]), float64(res[i])
			}
			AddAct(x, res, act)
			AddAct(x64, res64, act)
			for i, v := range x {
				if !(math.Abs(float64(v)-x64[i]) <= 1e-6*max(1, math.Abs(x64[i]))) {
					t.Fatalf("element %d: got %v, want %v", i, v, x64[i])
				}
			}
		})
	}
	x := []float32{float32(math.NaN()), -1, 1}
	AddAct(x, nil, ActHardSwish)
	if x[0] == x[0] || !(math.Abs(float64(x[1])+1./3) <= 1e-6) {
		t.Errorf("without something to add: got %v", x)
	}
}

// TestAffineAct tests channels of a few elements, which are processed together, and of many.
func TestAffineAct(t *testing.T) {
	for _, inner := range []int{1, 3, 100} {
		x, a, b := make([]float32, 2*2*inner), []float32{2, -1}, []float32{1, 0.5}
		for i := range x {
			x[i] = float32(i%7) - 3
		}
		want, got := make([]float32, len(x)), make([]float32, len(x))
		for i, v := range x {
			c := i / inner % 2
			want[i] = max(v*a[c]+b[c], 0)
		}
		AffineAct(got, x, a, b, inner, ActRelu)
		for i, v := range got {
			if v != want[i] {
				t.Fatalf("inner %d, element %d: got %v, want %v", inner, i, v, want[i])
			}
		}
	}
}

// TestConvAdd32 adds a residual to convolutions with filters of several channels and of one channel.
func TestConvAdd32(t *testing.T) {
	for _, groups := range []int{1, 4} {
		const images, channels, side = 2, 4, 9
		win := Window{In: []int{side, side}, Out: []int{side, side}, Kernel: []int{3, 3}, Stride: []int{1, 1}, Dilation: []int{1, 1}, Pad: []int{1, 1}, PadEnd: []int{1, 1}}
		x, w, bias := make([]float32, images*channels*side*side), make([]float32, channels*channels/groups*9), []float32{1, 2, 3, 4}
		res := make([]float32, len(x))
		for i := range x {
			x[i], res[i] = float32(i%11)-5, float32(i%3)-1
		}
		for i := range w {
			w[i] = float32(i%4) - 1.5
		}
		want, got := make([]float32, len(x)), make([]float32, len(x))
		Conv32(want, x, w, bias, ConvShape{Images: images, Channels: channels, Filters: channels, Groups: groups, Window: win}, ActNone)
		AddAct(want, res, ActRelu)
		ConvAdd32(got, x, w, bias, res, ConvShape{Images: images, Channels: channels, Filters: channels, Groups: groups, Window: win}, ActRelu)
		for i, v := range got {
			if v != want[i] {
				t.Fatalf("%d groups, element %d: got %v, want %v", groups, i, v, want[i])
			}
		}
	}
}
