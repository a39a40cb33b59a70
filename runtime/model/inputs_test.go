package model

import (
	"fmt"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
)

// TestCheckInputs shows the errors for tensors that do not match.
func TestCheckInputs(t *testing.T) {
	ports := []Port{
		{Name: "x", Type: "float32[n,m]", Elem: tensor.Float32, Dims: []string{"n", "m"}},
		{Name: "z", Type: "float32[m,3]", Elem: tensor.Float32, Dims: []string{"m", "3"}},
	}
	of := func(shape ...int) tensor.Value { return tensor.New(tensor.Float32, shape...) }
	tests := []struct {
		x, z tensor.Value
		want string
	}{
		{of(2, 5), of(5, 3), "<nil>"},
		{of(2, 0), of(0, 3), "<nil>"},
		{of(2, 5), &tensor.Sequence{}, "<nil>"}, // SetInput refuses it
		{of(2, 6), of(4, 3), `input "z": found float32[4,3] for float32[m,3], but m is 6 in input "x"`},
		{of(2, 5), of(5, 4), `input "z": found float32[5,4], want float32[m,3]`},
		{of(2), of(5, 3), `input "x": found float32[2], want float32[n,m]`},
		{tensor.New(tensor.Int8, 2, 5), of(5, 3), `input "x": found int8[2,5], want float32[n,m]`},
		{of(1<<30, 0), of(0, 3), `input "x": found float32[1073741824,0], want at most 65536 along n of a tensor without elements`},
	}
	for _, tt := range tests {
		if got := fmt.Sprint(CheckInputs(ports, []tensor.Value{tt.x, tt.z})); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

// TestCheckSize checks which sizes of a dimension are accepted.
func TestCheckSize(t *testing.T) {
	for n, ok := range map[int]bool{0: true, 1: true, 1<<31 - 1: true, -1: false} {
		if err := values.CheckSize("Batch", n); (err == nil) != ok {
			t.Errorf("%d: %v", n, err)
		}
	}
}
