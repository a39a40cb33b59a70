package cpu

import (
	"math"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestCast checks conversions between numbers, including those out of range.
func TestCast(t *testing.T) {
	i8 := make([]int8, 3)
	Cast(i8, []int16{200, -200, 5})
	if want := []int8{-56, 56, 5}; !slices.Equal(i8, want) {
		t.Errorf("int16 to int8: got %d, want %d", i8, want)
	}
	i4 := make([]tensor.I4, 3)
	CastToInt4(i4, []float32{-8, 7.9, 9})
	if want := []tensor.I4{-8, 7, -7}; !slices.Equal(i4, want) {
		t.Errorf("float32 to int4: got %d, want %d", i4, want)
	}
	f := make([]float64, 3)
	Cast(f, i4)
	if want := []float64{-8, 7, -7}; !slices.Equal(f, want) {
		t.Errorf("int4 to float64: got %v, want %v", f, want)
	}
	b := make([]bool, 3)
	CastToBool(b, []float64{0, math.NaN(), math.Copysign(0, -1)})
	if want := []bool{false, true, false}; !slices.Equal(b, want) {
		t.Errorf("float64 to bool: got %v, want %v", b, want)
	}
	CastFromBool(f, b)
	if want := []float64{0, 1, 0}; !slices.Equal(f, want) {
		t.Errorf("bool to float64: got %v, want %v", f, want)
	}
}

// TestCastTooLarge converts floats that no integer is. Processors give different numbers for them: kernels do not.
func TestCastTooLarge(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	x := []float64{nan, inf, -inf, -1.5, 300.5, -70000, 3e9, -3e9, 1e19, -1e19, 1e20, 0x1p31, -0x1p31, 0x1p63, -0x1p63}
	const low, low32 = math.MinInt64, math.MinInt32
	tooLarge(t, x, []int64{low, low, low, -1, 300, -70000, 3e9, -3e9, low, low, low, 1 << 31, low32, low, low})
	tooLarge(t, x, []int32{low32, low32, low32, -1, 300, -70000, low32, low32, low32, low32, low32, low32, low32, low32, low32})
	tooLarge(t, x, []int16{0, 0, 0, -1, 300, -4464, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	tooLarge(t, x, []int8{0, 0, 0, -1, 44, -112, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	tooLarge(t, x, []uint8{0, 0, 0, 255, 44, 144, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	tooLarge(t, x, []uint16{0, 0, 0, 65535, 300, 61072, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	tooLarge(t, x, []uint32{0, 0, 0, math.MaxUint32, 300, 1<<32 - 70000, 3e9, 1294967296, 0, 0, 0, 1 << 31, 1 << 31, 0, 0})
	tooLarge(t, x, []uint64{1 << 63, 0, 1 << 63, math.MaxUint64, 300, 1<<64 - 70000, 3e9, 1<<64 - 3e9, 1e19, 1 << 63, 0, 1 << 31, 1<<64 - 1<<31, 1 << 63, 1 << 63})
	i4 := make([]tensor.I4, len(x))
	CastToInt4(i4, x)
	if want := []tensor.I4{0, 0, 0, -1, -4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}; !slices.Equal(i4, want) {
		t.Errorf("to int4: got %d, want %d", i4, want)
	}
}

func tooLarge[D Integer](t *testing.T, x []float64, want []D) {
	t.Helper()
	got := make([]D, len(x))
	Cast(got, x)
	if !slices.Equal(got, want) {
		t.Errorf("float64 to %T: got %d, want %d", want, got, want)
	}
	single := make([]float32, len(x))
	for i, v := range x { // all but 1e19 and -1e19, which are rounded, are the same numbers
		single[i] = float32(v)
		want[i] = got[i]
		if math.Abs(v) == 1e19 {
			Cast(want[i:i+1], []float64{float64(single[i])})
		}
	}
	Cast(got, single)
	if !slices.Equal(got, want) {
		t.Errorf("float32 to %T: got %d, want %d", want, got, want)
	}
}

// TestCastToSmall rounds once: with another rounding to float32 before, the first two would become 1.
func TestCastToSmall(t *testing.T) {
	x := []float64{1 + 0x1p-11 + 0x1p-40, -1 - 0x1p-11 - 0x1p-40, 1e9, math.Inf(-1)}
	h := make([]tensor.F16, len(x))
	CastToSmall(h, x, true, 0)
	got := make([]float32, len(x))
	CastFromSmall(got, h)
	if want := []float32{1 + 0x1p-10, -1 - 0x1p-10, float32(math.Inf(1)), float32(math.Inf(-1))}; !slices.Equal(got, want) {
		t.Errorf("float16: got %v, want %v", got, want)
	}
	e := make([]tensor.F8E4M3FN, len(x))
	CastToSmall(e, x, true, 0)
	CastFromSmall(got, e)
	if want := []float32{1, -1, 448, -448}; !slices.Equal(got, want) {
		t.Errorf("float8e4m3fn: got %v, want %v", got, want)
	}
}

// TestCastString checks conversions of numbers to strings and back.
func TestCastString(t *testing.T) {
	got := make([]string, 7)
	CastToString(got, []float32{0.1, 1, 1e20, -2.5e-7, float32(math.NaN()), float32(math.Inf(-1)), 0})
	if want := []string{"0.1", "1.0", "1e+20", "-2.5e-07", "nan", "-inf", "0.0"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	i := make([]int64, 3)
	CastFromString(i, []string{"9223372036854775807", " -12", "3.7"})
	if want := []int64{math.MaxInt64, -12, 3}; !slices.Equal(i, want) {
		t.Errorf("got %d, want %d", i, want)
	}
	f := make([]float32, 3)
	CastFromString(f, []string{"-INF", "1e-5", "1e99"})
	if want := []float32{float32(math.Inf(-1)), 1e-5, float32(math.Inf(1))}; !slices.Equal(f, want) {
		t.Errorf("got %v, want %v", f, want)
	}
	if err := failure(func() { CastFromString(f, []string{"one", "", ""}) }); err == nil {
		t.Error("a word is a number")
	}
}

// TestBitCast checks that bits are kept.
func TestBitCast(t *testing.T) {
	u := make([]uint32, 2)
	BitCast(u, []float32{1, -2})
	if want := []uint32{0x3f800000, 0xc0000000}; !slices.Equal(u, want) {
		t.Errorf("got %x, want %x", u, want)
	}
	b := make([]bool, 3)
	BitCast(b, []uint8{0, 1, 255})
	if want := []bool{false, true, true}; !slices.Equal(b, want) {
		t.Errorf("got %v, want %v", b, want)
	}
	u4 := make([]tensor.U4, 2)
	BitCast(u4, []tensor.I4{-1, 7})
	if want := []tensor.U4{15, 7}; !slices.Equal(u4, want) {
		t.Errorf("got %d, want %d", u4, want)
	}
	i4 := make([]tensor.I4, 2)
	BitCast(i4, u4)
	if want := []tensor.I4{-1, 7}; !slices.Equal(i4, want) {
		t.Errorf("got %d, want %d", i4, want)
	}
}
