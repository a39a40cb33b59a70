package cpu

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestCastPairs converts the edges of each integer type to all types: integers keep their lower bits, floats are the nearest ones.
func TestCastPairs(t *testing.T) {
	testCastFrom[int8](t)
	testCastFrom[int16](t)
	testCastFrom[int32](t)
	testCastFrom[int64](t)
	testCastFrom[uint8](t)
	testCastFrom[uint16](t)
	testCastFrom[uint32](t)
	testCastFrom[uint64](t)
}

func testCastFrom[S Integer](t *testing.T) {
	testCast[int8, S](t)
	testCast[int16, S](t)
	testCast[int32, S](t)
	testCast[int64, S](t)
	testCast[uint8, S](t)
	testCast[uint16, S](t)
	testCast[uint32, S](t)
	testCast[uint64, S](t)
	x := edges[S]()
	f32, f64, texts, truth := make([]float32, len(x)), make([]float64, len(x)), make([]string, len(x)), make([]bool, len(x))
	Cast(f32, x)
	Cast(f64, x)
	CastToString(texts, x)
	CastToBool(truth, x)
	for i, v := range x {
		exact := new(big.Float).SetInt(bigOf(v))
		single, _ := exact.Float32()
		double, _ := exact.Float64()
		if f32[i] != single || f64[i] != double || texts[i] != bigOf(v).String() || truth[i] != (v != 0) {
			t.Errorf("%T %d became %v, %v, %q, %v", v, v, f32[i], f64[i], texts[i], truth[i])
		}
	}
	back := make([]S, len(x))
	CastFromString(back, texts)
	equal(t, fmt.Sprintf("text to %T", x), back, x...)
	CastFromBool(back[:2], []bool{true, false})
	equal(t, fmt.Sprintf("bool to %T", x), back[:2], 1, 0)
	testCastToBits[S](t)
}

func testCast[D, S Integer](t *testing.T) {
	x := edges[S]()
	got, want := make([]D, len(x)), make([]D, len(x))
	for i, v := range x {
		want[i] = wrapped[D](bigOf(v))
	}
	Cast(got, x)
	equal(t, fmt.Sprintf("%T to %T", x, got), got, want...)
}

// testCastToBits checks the types below a byte, which keep two or four bits: as two's complement, or without a sign.
func testCastToBits[S Integer](t *testing.T) {
	x := edges[S]()
	i4, u4, i2, u2 := make([]tensor.I4, len(x)), make([]tensor.U4, len(x)), make([]tensor.I2, len(x)), make([]tensor.U2, len(x))
	CastToInt4(i4, x)
	CastToInt4(u4, x)
	CastToInt4(i2, x)
	CastToInt4(u2, x)
	for i, v := range x {
		four, two := int(wrapped[uint8](bigOf(v)))%16, int(wrapped[uint8](bigOf(v)))%4
		if int(u4[i]) != four || int(u2[i]) != two || int(i4[i]) != (four+8)%16-8 || int(i2[i]) != (two+2)%4-2 {
			t.Errorf("%T %d became %d, %d, %d, %d", v, v, i4[i], u4[i], i2[i], u2[i])
		}
	}
}

// TestCastSmall converts all numbers of each small float to float32 and back, and the middles between neighbors to the even one.
func TestCastSmall(t *testing.T) {
	// The value of a code is (-1)^s·2^(e-bias)·(1+m/2^bits), or 2^(1-bias)·m/2^bits where e is 0; NaN has the given codes.
	testCastSmall[tensor.F8E4M3FN](t, 256, 3, 7, func(c int) bool { return c&0x7f == 0x7f })
	testCastSmall[tensor.F8E5M2](t, 256, 2, 15, func(c int) bool { return c&0x7f > 0x7c })
	testCastSmall[tensor.F8E4M3FNUZ](t, 256, 3, 8, func(c int) bool { return c == 0x80 })
	testCastSmall[tensor.F8E5M2FNUZ](t, 256, 2, 16, func(c int) bool { return c == 0x80 })
	testCastSmall[tensor.F4E2M1](t, 16, 1, 1, func(int) bool { return false })
	testCastSmall[tensor.F16](t, 1<<16, 10, 15, func(c int) bool { return c&0x7fff > 0x7c00 })
	testCastSmall[tensor.BF16](t, 1<<16, 7, 127, func(c int) bool { return c&0x7fff > 0x7f80 })
}

func testCastSmall[S tensor.F16 | tensor.BF16 | tensor.F8E4M3FN | tensor.F8E4M3FNUZ | tensor.F8E5M2 | tensor.F8E5M2FNUZ | tensor.F8E8M0 | tensor.F4E2M1](t *testing.T, codes int, bits uint, bias int, isNaN func(code int) bool) {
	all, half := make([]S, codes), codes/2
	for i := range all {
		all[i] = S(i)
	}
	f, back := make([]float32, codes), make([]S, codes)
	CastFromSmall(f, all)
	CastToSmall(back, f, true, 0)
	for i, got := range f {
		e, m := i%half>>bits, i%half&(1<<bits-1)
		want := math.Ldexp(float64(1<<bits+m), e-bias-int(bits))
		if e == 0 {
			want = math.Ldexp(float64(m), 1-bias-int(bits))
		}
		if i >= half {
			want = -want
		}
		switch {
		case isNaN(i):
			want = nan
		case codes == 1<<16 && i%half == (half-1)>>bits<<bits: // the codes of Inf
			want = math.Copysign(inf, want)
		case bits == 2 && bias == 15 && i%half == 0x7c:
			want = math.Copysign(inf, want)
		}
		if !same(float64(got), want) {
			t.Fatalf("%T: code %#x is %v, want %v", all, i, got, want)
		}
		if want == want && back[i] != all[i] && !math.IsInf(want, 0) {
			t.Errorf("%T: %v became %#x, want %#x", all, got, back[i], i)
		}
	}
	middles, even := []float64(nil), []S(nil)
	for i := range half - 1 {
		if a, b := float64(f[i]), float64(f[i+1]); b-a > 0 && b < inf {
			middles, even = append(middles, (a+b)/2), append(even, S((i+1)/2*2))
		}
	}
	got := make([]S, len(even))
	CastToSmall(got, middles, true, 0)
	equal(t, fmt.Sprintf("%T of middles", all), got, even...)
}

// TestCastScales checks the exponents that F8E8M0 consists of: code c is 2^(c-127), and 255 is NaN.
func TestCastScales(t *testing.T) {
	all, f, back := make([]tensor.F8E8M0, 256), make([]float32, 256), make([]tensor.F8E8M0, 256)
	for i := range all {
		all[i] = tensor.F8E8M0(i)
	}
	CastFromSmall(f, all)
	for i, got := range f[:255] {
		if want := math.Ldexp(1, i-127); float64(got) != want {
			t.Errorf("code %d is %v, want %v", i, got, want)
		}
	}
	if f[255] == f[255] {
		t.Errorf("code 255 is %v, want NaN", f[255])
	}
	CastToSmall(back, f, true, int(tensor.RoundMode(0)))
	equal(t, "F8E8M0", back, all...)
}

// TestCastFloatText reads back the text of floats of both types.
func TestCastFloatText(t *testing.T) {
	x := []float64{0, math.Copysign(0, -1), 1e-4, 9.999e-5, 1e16, 9999999999999998, -1.5, math.Pi, math.MaxFloat64, math.SmallestNonzeroFloat64, inf, -inf, nan}
	text, back := make([]string, len(x)), make([]float64, len(x))
	CastToString(text, x)
	equal(t, "text", text, "0.0", "-0.0", "0.0001", "9.999e-05", "1e+16", "9999999999999998.0", "-1.5", "3.141592653589793", "1.7976931348623157e+308", "5e-324", "inf", "-inf", "nan")
	CastFromString(back, text)
	for i, v := range x {
		if !same(back[i], v) || math.Signbit(back[i]) != math.Signbit(v) {
			t.Errorf("%v became %q and %v", v, text[i], back[i])
		}
	}
	words := make([]string, 2)
	CastToString(words, []bool{true, false})
	equal(t, "bool", words, "True", "False")
	halves := make([]int32, 4)
	CastFromString(halves, []string{"-3.99", " 2e3 ", "4294967297", strconv.Itoa(math.MaxInt32)})
	equal(t, "integers", halves, -3, 2000, 1, math.MaxInt32) // 2³²+1 keeps its lower bits
}

// TestBitCastSmall checks the types in which not all bits of a byte are valid.
func TestBitCastSmall(t *testing.T) {
	x := []uint8{0, 1, 2, 3, 7, 8, 15, 16, 255}
	i4, i2, u2, f4, u4 := make([]tensor.I4, 9), make([]tensor.I2, 9), make([]tensor.U2, 9), make([]tensor.F4E2M1, 9), make([]tensor.U4, 9)
	BitCast(i4, x)
	equal(t, "int4", i4, 0, 1, 2, 3, 7, -8, -1, 0, -1)
	BitCast(i2, x)
	equal(t, "int2", i2, 0, 1, -2, -1, -1, 0, -1, 0, -1)
	BitCast(u2, x)
	equal(t, "uint2", u2, 0, 1, 2, 3, 3, 0, 3, 0, 3)
	BitCast(f4, x)
	equal(t, "float4", f4, 0, 1, 2, 3, 7, 8, 15, 0, 15)
	BitCast(u4, x)
	equal(t, "uint4", u4, 0, 1, 2, 3, 7, 8, 15, 0, 15)
	wide, narrow := make([]uint64, 2), make([]float64, 2)
	BitCast(narrow, []uint64{math.Float64bits(-2.5), math.Float64bits(inf)})
	equal(t, "float64", narrow, -2.5, inf)
	BitCast(wide, narrow)
	equal(t, "uint64", wide, math.Float64bits(-2.5), math.Float64bits(inf))
	BitCast([]int8{}, []uint8{})
}
