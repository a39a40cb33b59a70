package tensor

import (
	"math"
	"testing"
)

var inf = float32(math.Inf(1))

// TestFloat16RoundTrips checks that each float16 survives the conversion to float32 and back.
func TestFloat16RoundTrips(t *testing.T) {
	for i := range 1 << 16 {
		x := F16(i)
		if got := ToFloat16(x.Float32()); got != x {
			t.Fatalf("%#04x widens to %g and comes back as %#04x", i, x.Float32(), got)
		}
	}
}

// TestBFloat16RoundTrips checks that each bfloat16 survives the conversion to float32 and back.
func TestBFloat16RoundTrips(t *testing.T) {
	for i := range 1 << 16 {
		x := BF16(i)
		if got := ToBFloat16(x.Float32()); got != x {
			t.Fatalf("%#04x widens to %g and comes back as %#04x", i, x.Float32(), got)
		}
	}
}

// The middle between two neighbors is rounded to the even one, values next to the middle to the nearer one.
func TestHalvesRoundToNearestEven(t *testing.T) {
	for _, c := range []struct {
		name  string
		last  uint16 // the largest finite value
		wide  func(uint16) float32
		round func(float32) uint16
	}{
		{"float16", 0x7bff, func(x uint16) float32 { return F16(x).Float32() }, func(f float32) uint16 { return uint16(ToFloat16(f)) }},
		{"bfloat16", 0x7f7f, func(x uint16) float32 { return BF16(x).Float32() }, func(f float32) uint16 { return uint16(ToBFloat16(f)) }},
	} {
		for x := range c.last {
			mid := float32((float64(c.wide(x)) + float64(c.wide(x+1))) / 2)
			checkMiddle(t, c.name, x, mid, c.round)
		}
	}
}

func checkMiddle[C uint8 | uint16](t *testing.T, name string, x C, mid float32, round func(float32) C) {
	t.Helper()
	even := (x + 1) &^ 1
	below, above := math.Nextafter32(mid, 0), math.Nextafter32(mid, inf)
	if a, b, c := round(below), round(mid), round(above); a != x || b != even || c != x+1 {
		t.Errorf("%s: around %g: %#x %#x %#x, want %#x %#x %#x", name, mid, a, b, c, x, even, x+1)
	}
}

// TestFloat16Golden checks the rounding of float32 to float16.
func TestFloat16Golden(t *testing.T) { // from numpy
	for _, c := range []struct {
		f float32
		x F16
	}{
		{0, 0}, {1, 0x3c00}, {-2, 0xc000}, {1.0 / 3, 0x3555}, {0.1, 0x2e66}, {3.1415927, 0x4248},
		{65504, 0x7bff}, {65519.996, 0x7bff}, {65520, 0x7c00}, {65536, 0x7c00}, {-1e30, 0xfc00}, {inf, 0x7c00},
		{0x1p-14, 0x0400}, {0x1p-24, 1}, {0x1p-25, 0}, {0x1.000002p-25, 1}, {6e-8, 1}, {-1e-30, 0x8000},
		{float32(math.NaN()), 0x7e00}, {math.Float32frombits(0x7f800001), 0x7c01}, {math.Float32frombits(0xffc00000), 0xfe00},
	} {
		if got := ToFloat16(c.f); got != c.x {
			t.Errorf("ToFloat16(%g) = %#04x, want %#04x", c.f, got, c.x)
		}
	}
}

// TestBFloat16Golden checks the rounding of float32 to bfloat16.
func TestBFloat16Golden(t *testing.T) {
	for _, c := range []struct {
		f float32
		x BF16
	}{
		{0, 0}, {1, 0x3f80}, {-2, 0xc000}, {1.0 / 3, 0x3eab}, {0.1, 0x3dcd}, {3.1415927, 0x4049},
		{3.3895314e38, 0x7f7f}, {math.MaxFloat32, 0x7f80}, {-inf, 0xff80}, {1e-45, 0},
		{float32(math.NaN()), 0x7fc0}, {math.Float32frombits(0x7f800001), 0x7f81},
	} {
		if got := ToBFloat16(c.f); got != c.x {
			t.Errorf("ToBFloat16(%g) = %#04x, want %#04x", c.f, got, c.x)
		}
	}
}

// The half next to 1 is 1+0x1p-10; a double a little above the middle rounds
// to the middle in float32, and from there to the even half, 1.
func TestRoundOddAvoidsDoubleRounding(t *testing.T) {
	f := 1 + 0x1p-11 + 0x1p-40
	if got := ToFloat16(float32(f)); got != 0x3c00 {
		t.Errorf("through float32: %#04x, want 0x3c00: this test shows nothing", got)
	}
	if got := ToFloat16(RoundOdd(f)); got != 0x3c01 {
		t.Errorf("through RoundOdd: %#04x, want 0x3c01", got)
	}
}

// TestRoundOdd checks the rounding of float64 to odd float32.
func TestRoundOdd(t *testing.T) {
	for _, c := range []struct {
		f    float64
		want float32
	}{
		{0, 0}, {1, 1}, {-0.5, -0.5}, {1 + 0x1p-50, 1 + 0x1p-23}, {-1 - 0x1p-50, -1 - 0x1p-23},
		{1e300, math.MaxFloat32}, {-1e300, -math.MaxFloat32}, {5e-324, math.SmallestNonzeroFloat32}, {math.Inf(-1), -inf},
	} {
		if got := RoundOdd(c.f); got != c.want {
			t.Errorf("RoundOdd(%g) = %g, want %g", c.f, got, c.want)
		}
	}
	if got := RoundOdd(math.NaN()); got == got {
		t.Errorf("RoundOdd(NaN) = %g", got)
	}
}

// BenchmarkFloat16Float32 measures the conversion of float16 to float32.
func BenchmarkFloat16Float32(b *testing.B) {
	dst := make([]float32, 4096)
	b.SetBytes(4 * 4096)
	for b.Loop() {
		for i := range dst {
			dst[i] = F16(i).Float32()
		}
	}
}

// BenchmarkToFloat16 measures the conversion of float32 to float16.
func BenchmarkToFloat16(b *testing.B) {
	dst := make([]F16, 4096)
	b.SetBytes(4 * 4096)
	for b.Loop() {
		for i := range dst {
			dst[i] = ToFloat16(float32(i))
		}
	}
}
