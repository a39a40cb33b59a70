package cpu

import (
	"slices"
	"testing"
)

func TestMatMulBroadcasts(t *testing.T) {
	a := []int32{1, 2, 3, 4, 5, 6, 7, 8} // [2,1] of 1×4
	b := []int32{1, 0, 0, 1, 1, 1, 2, 2, 0, 1, 0, 1, 1, 1, 0, 0}
	got := make([]int32, 2*2*2)
	MatMul(got, a, b, MatMulBatch{Batch: []int{2, 2}, A: []int{2, 1}, B: []int{1, 2}, M: 1, K: 4, N: 2})
	want := []int32{
		1*1 + 3*1 + 4*2, 2*1 + 3*1 + 4*2, 3*1 + 0, 1 + 2 + 3,
		5*1 + 7*1 + 8*2, 6*1 + 7*1 + 8*2, 7*1 + 0, 5 + 6 + 7,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	f := func(x []int32) []float32 {
		y := make([]float32, len(x))
		for i, v := range x {
			y[i] = float32(v)
		}
		return y
	}
	got32 := make([]float32, len(want))
	MatMul(got32, f(a), f(b), MatMulBatch{Batch: []int{2, 2}, A: []int{2, 1}, B: []int{1, 2}, M: 1, K: 4, N: 2})
	if !slices.Equal(got32, f(want)) {
		t.Errorf("float32: got %v, want %v", got32, want)
	}
}

func TestMatMulOfNothing(t *testing.T) {
	got := []float64{1, 2, 3, 4}
	MatMul(got, nil, nil, MatMulBatch{M: 2, K: 0, N: 2})
	if !slices.Equal(got, make([]float64, 4)) {
		t.Errorf("got %v, want zeros", got)
	}
	MatMul(nil, []float64{}, []float64{1}, MatMulBatch{Batch: []int{0}, A: []int{0}, B: []int{1}, M: 1, K: 1, N: 1})
}

func TestMatMulInteger(t *testing.T) {
	a := []uint8{11, 7, 3, 10, 6, 2, 9, 5, 1, 8, 4, 0}
	b := []uint8{1, 4, 2, 5, 3, 6}
	for _, c := range []struct {
		name     string
		azp, bzp []uint8
		want     []int32
	}{
		{"none", nil, nil, []int32{34, 97, 28, 82, 22, 67, 16, 52}},
		{"scalars", []uint8{12}, []uint8{0}, []int32{-38, -83, -44, -98, -50, -113, -56, -128}},
		{"each row and column", []uint8{11, 10, 9, 8}, []uint8{1, 2}, []int32{-20, -44, -20, -44, -20, -44, -20, -44}},
	} {
		got := make([]int32, 8)
		MatMulInteger(got, a, b, c.azp, c.bzp, MatMulBatch{M: 4, K: 3, N: 2})
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestGemmBias(t *testing.T) {
	a, b := []float64{1, 2, 3, 4}, []float64{1, 0, 0, 1}
	for _, c := range []struct {
		c    []float64
		cs   []int
		want []float64
	}{
		{nil, nil, []float64{2, 4, 6, 8}},
		{[]float64{10}, nil, []float64{7, 9, 11, 13}},
		{[]float64{10, 20}, []int{2}, []float64{7, 14, 11, 18}},
		{[]float64{10, 20}, []int{2, 1}, []float64{7, 9, 16, 18}},
		{[]float64{10, 20, 30, 40}, []int{2, 2}, []float64{7, 14, 21, 28}},
	} {
		got := make([]float64, 4)
		Gemm(got, a, b, c.c, GemmShape{M: 2, K: 2, N: 2, Alpha: 2, Beta: 0.5}, c.cs)
		if !slices.Equal(got, c.want) {
			t.Errorf("C %v of shape %v: got %v, want %v", c.c, c.cs, got, c.want)
		}
	}
}
