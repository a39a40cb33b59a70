package codegen

import (
	"math"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestNumber shows the constants of each type in Go.
func TestNumber(t *testing.T) {
	for _, c := range []struct {
		value *tensor.Tensor
		want  string
	}{
		{tensor.Of([]bool{true}), `true`},
		{tensor.Of([]string{"a\"\n"}), `"a\"\n"`},
		{tensor.Of([]float32{0.1}), `float32(0.1)`},
		{tensor.Of([]float32{float32(math.Copysign(0, -1))}), `float32(math.Copysign(0, -1))`},
		{tensor.Of([]float64{0.1}), `float64(0.1)`},
		{tensor.Of([]float64{math.Inf(-1)}), `float64(math.Inf(-1))`},
		{tensor.Of([]int8{-128}), `int8(-128)`},
		{tensor.Of([]int16{-3}), `int16(-3)`},
		{tensor.Of([]int32{-2}), `int32(-2)`},
		{tensor.Of([]int64{math.MinInt64}), `int64(-9223372036854775808)`},
		{tensor.Of([]uint8{255}), `uint8(255)`},
		{tensor.Of([]uint16{3}), `uint16(3)`},
		{tensor.Of([]uint32{math.MaxUint32}), `uint32(4294967295)`},
		{tensor.Of([]uint64{math.MaxUint64}), `uint64(18446744073709551615)`},
		{tensor.Of([]tensor.F16{0x3e00}), `tensor.F16(0x3e00)`},
		{tensor.Of([]tensor.BF16{0x8000}), `tensor.BF16(0x8000)`},
		{tensor.Of([]tensor.F8E4M3FN{0x38}), `tensor.F8E4M3FN(0x38)`},
		{tensor.Of([]tensor.I4{-8}), `tensor.I4(-8)`},
		{tensor.Of([]tensor.U4{15}), `tensor.U4(15)`},
		{tensor.Of([]complex64{1 + 0.1i}), `complex64(complex(1.0, 0.1))`},
		{tensor.Of([]complex128{-2i}), `complex128(complex(0.0, -2.0))`},
	} {
		if got := emitNumber(c.value).GoString(); got != c.want {
			t.Errorf("%s %v is %s, want %s", c.value.DType, c.value.Data, got, c.want)
		}
	}
}

// TestElementsText shows the values of constants in comments: not those of large ones, and none that end a line.
func TestElementsText(t *testing.T) {
	for _, c := range []struct {
		value *tensor.Tensor
		want  string
	}{
		{tensor.Of([]float32{0.1}, 1), "0.1"},
		{tensor.Of([]int64{1, -2, 3}, 3), "1, -2, 3"},
		{tensor.Of([]tensor.F16{0x3e00}), "1.5"},
		{tensor.Of([]string{"a\n*/"}), `"a\n*/"`},
		{tensor.Of([]string{"a text that is longer than a comment should be"}), ""},
		{tensor.Of([]int8{1, 2, 3, 4, 5}, 5), ""},
		{tensor.Of([]bool{}, 0), ""},
	} {
		if got := elementsText(c.value); got != c.want {
			t.Errorf("%v is %q, want %q", c.value.Data, got, c.want)
		}
	}
}
