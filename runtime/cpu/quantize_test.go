package cpu

import (
	"math"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

func TestQuantizeLinear(t *testing.T) {
	x := []float32{-300, 0.5, 1.5, 3, 300, float32(math.NaN())} // [2, 3]
	for _, c := range []struct {
		name        string
		scale, zero []float32
		b           Blocks
		want        []int8
	}{
		{"per tensor", []float32{1}, nil, Blocks{1, 6, 1, 1, false}, []int8{-128, 0, 2, 3, 127, 0}},
		{"per tensor with a zero point", []float32{2}, []float32{10}, Blocks{1, 6, 1, 1, false}, []int8{-128, 10, 11, 12, 127, 10}},
		{"per row", []float32{1, 100}, []float32{1, 2}, Blocks{1, 2, 3, 1, true}, []int8{-128, 1, 3, 2, 5, 2}},
		{"per column", []float32{100, 1, 0.5}, nil, Blocks{2, 3, 1, 1, true}, []int8{-3, 0, 3, 0, 127, 0}},
		{"in blocks of columns", []float32{100, 0.5, 1, 2}, nil, Blocks{2, 3, 1, 2, false}, []int8{-3, 0, 3, 3, 127, 0}},
		{"in blocks of rows", []float32{100, 1, 0.5}, nil, Blocks{1, 2, 3, 2, false}, []int8{-3, 0, 3, 0, 127, 0}},
	} {
		zero := make([]int8, len(c.zero))
		Cast(zero, c.zero)
		got := make([]int8, len(x))
		QuantizeLinear(got, x, c.scale, zero, c.b)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
		back, want := make([]float32, len(x)), make([]float32, len(x))
		DequantizeLinear(back, got, c.scale, zero, c.b)
		Cast(want, got)
		MulScale(want, want, c.scale, c.zero, c.b)
		if !slices.Equal(back, want) {
			t.Errorf("%s: DequantizeLinear gives %v, MulScale %v", c.name, back, want)
		}
	}
	i4 := make([]tensor.I4, 2)
	QuantizeLinear(i4, []float32{-100, 100}, []float32{1}, nil, Blocks{1, 2, 1, 1, false})
	if want := []tensor.I4{-8, 7}; !slices.Equal(i4, want) {
		t.Errorf("int4: got %d, want %d", i4, want)
	}
	if err := failure(func() { QuantizeLinear(i4, x[:2], x[:3], nil, Blocks{1, 2, 1, 1, true}) }); err == nil {
		t.Error("three scales for two elements do not fail")
	}
}

// TestDynamicQuantizeLinear checks the scale, the zero point and the elements.
func TestDynamicQuantizeLinear(t *testing.T) {
	y, scale, zero := make([]uint8, 3), []float32{0}, []uint8{9}
	DynamicQuantizeLinear(y, scale, zero, []float32{-51, 0, 204})
	if scale[0] != 1 || zero[0] != 51 || !slices.Equal(y, []uint8{0, 51, 255}) {
		t.Errorf("got %d, scale %v, zero point %d", y, scale[0], zero[0])
	}
	DynamicQuantizeLinear(y, scale, zero, []float32{0, 0, 0})
	if zero[0] != 0 || !slices.Equal(y, []uint8{0, 0, 0}) {
		t.Errorf("of zeros: got %d, zero point %d", y, zero[0])
	}
	DynamicQuantizeLinear(nil, scale, zero, nil)
}
