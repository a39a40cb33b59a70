package tensor

import (
	"math"
	"testing"
)

// float8 is one format under test.
type float8 struct {
	name          string
	mant, bias    int
	max           uint8 // the code of the largest finite value
	inf, nan      uint8 // the codes for Inf and NaN without saturation
	minus0, minus uint8 // the codes for -0 and -Inf
	wide          func(uint8) float32
	round         func(float32, bool) uint8
}

var float8s = []float8{
	{"e4m3fn", 3, 7, 0x7e, 0x7f, 0x7f, 0x80, 0xff,
		func(x uint8) float32 { return F8E4M3FN(x).Float32() },
		func(f float32, s bool) uint8 { return uint8(ToFloat8E4M3FN(f, s)) }},
	{"e4m3fnuz", 3, 8, 0x7f, 0x80, 0x80, 0x00, 0x80,
		func(x uint8) float32 { return F8E4M3FNUZ(x).Float32() },
		func(f float32, s bool) uint8 { return uint8(ToFloat8E4M3FNUZ(f, s)) }},
	{"e5m2", 2, 15, 0x7b, 0x7c, 0x7e, 0x80, 0xfc,
		func(x uint8) float32 { return F8E5M2(x).Float32() },
		func(f float32, s bool) uint8 { return uint8(ToFloat8E5M2(f, s)) }},
	{"e5m2fnuz", 2, 16, 0x7f, 0x80, 0x80, 0x00, 0x80,
		func(x uint8) float32 { return F8E5M2FNUZ(x).Float32() },
		func(f float32, s bool) uint8 { return uint8(ToFloat8E5M2FNUZ(f, s)) }},
}

// Every finite code has the value that its fields define, and converts back to the code.
func TestFloat8Codes(t *testing.T) {
	for _, c := range float8s {
		for m := 0; m <= int(c.max); m++ {
			exp, frac := m>>c.mant, float64(m&(1<<c.mant-1))
			want := math.Ldexp(frac+float64(int(1)<<c.mant), exp-c.bias-c.mant)
			if exp == 0 {
				want = math.Ldexp(frac, 1-c.bias-c.mant)
			}
			for _, sign := range []uint8{0, 0x80} {
				if sign != 0 && m == 0 {
					continue
				}
				x := uint8(m) | sign
				if sign != 0 {
					want = -want
				}
				if got := c.wide(x); float64(got) != want {
					t.Errorf("%s: %#02x is %g, want %g", c.name, x, got, want)
				}
				if a, b := c.round(float32(want), false), c.round(float32(want), true); a != x || b != x {
					t.Errorf("%s: %g becomes %#02x and %#02x, want %#02x", c.name, want, a, b, x)
				}
			}
		}
	}
}

// TestFloat8RoundsToNearestEven checks the rounding of the middle between adjacent values.
func TestFloat8RoundsToNearestEven(t *testing.T) {
	for _, c := range float8s {
		for x := range c.max {
			checkMiddle(t, c.name, x, (c.wide(x)+c.wide(x+1))/2, func(f float32) uint8 { return c.round(f, true) })
		}
	}
}

// The two tables are in the documentation of ONNX's Cast.
func TestFloat8SpecialValues(t *testing.T) {
	nan, minus0 := float32(math.NaN()), float32(math.Copysign(0, -1))
	for _, c := range float8s {
		// halfway to the value after the largest one, if there were a code for it
		over := c.wide(c.max) + (c.wide(c.max)-c.wide(c.max-1))/2
		within := math.Nextafter32(over, 0)
		over = math.Nextafter32(over, inf)
		for _, v := range []struct {
			f    float32
			s    bool
			want uint8
		}{
			{0, true, 0}, {0, false, 0}, {minus0, true, c.minus0}, {minus0, false, c.minus0},
			{-1e-30, true, c.minus0}, {-1e-30, false, c.minus0},
			{nan, true, c.nan}, {nan, false, c.nan},
			{inf, true, c.max}, {-inf, true, c.max | 0x80}, {inf, false, c.inf}, {-inf, false, c.minus},
			{within, true, c.max}, {within, false, c.max}, {-within, false, c.max | 0x80},
			{over, true, c.max}, {-over, true, c.max | 0x80}, {over, false, c.inf}, {-over, false, c.minus},
			{math.MaxFloat32, false, c.inf}, {math.MaxFloat32, true, c.max},
		} {
			if got := c.round(v.f, v.s); got != v.want {
				t.Errorf("%s: %g, saturate %v: %#02x, want %#02x", c.name, v.f, v.s, got, v.want)
			}
		}
		if f := c.wide(c.nan); f == f {
			t.Errorf("%s: %#02x is %g, want NaN", c.name, c.nan, f)
		}
	}
	for _, x := range []F8E5M2{0x7d, 0x7e, 0x7f, 0xfd, 0xff} {
		if f := x.Float32(); f == f {
			t.Errorf("e5m2: %#02x is %g, want NaN", x, f)
		}
	}
	if f := F8E5M2(0xfc).Float32(); f != -inf {
		t.Errorf("e5m2: 0xfc is %g, want -Inf", f)
	}
}

// TestFloat8E8M0 checks all values of float8e8m0.
func TestFloat8E8M0(t *testing.T) {
	for i := range 255 {
		x := F8E8M0(i)
		if want := float32(math.Ldexp(1, i-127)); x.Float32() != want {
			t.Errorf("%#02x is %g, want %g", i, x.Float32(), want)
		}
		for _, mode := range []RoundMode{RoundUp, RoundDown, RoundNearest} {
			if got := ToFloat8E8M0(x.Float32(), false, mode); got != x {
				t.Errorf("mode %d: %g becomes %#02x, want %#02x", mode, x.Float32(), got, i)
			}
		}
	}
	if f := F8E8M0(0xff).Float32(); f == f {
		t.Errorf("0xff is %g, want NaN", f)
	}
}

// TestFloat8E8M0Rounding checks the rounding to float8e8m0 in each mode.
func TestFloat8E8M0Rounding(t *testing.T) {
	for _, c := range []struct {
		f                 float32
		s                 bool
		up, down, nearest F8E8M0
	}{
		{1.1, true, 128, 127, 127}, {1.5, true, 128, 127, 128}, {1.9, true, 128, 127, 128}, {-1.9, true, 128, 127, 128},
		{0x1.8p-127, true, 1, 0, 1}, {0x1.4p-127, true, 1, 0, 0}, {0x1.8p-126, true, 2, 1, 2},
		{0x1.8p127, true, 254, 254, 254}, {0x1.8p127, false, 255, 254, 255}, {0x1.4p127, false, 255, 254, 254},
		{0, true, 0, 0, 0}, {0, false, 255, 255, 255}, {0x1p-130, true, 0, 0, 0}, {0x1p-130, false, 255, 255, 255},
		{inf, true, 254, 254, 254}, {inf, false, 255, 255, 255},
		{float32(math.NaN()), true, 255, 255, 255}, {float32(math.NaN()), false, 255, 255, 255},
	} {
		up, down, nearest := ToFloat8E8M0(c.f, c.s, RoundUp), ToFloat8E8M0(c.f, c.s, RoundDown), ToFloat8E8M0(c.f, c.s, RoundNearest)
		if up != c.up || down != c.down || nearest != c.nearest {
			t.Errorf("%g, saturate %v: %d %d %d, want %d %d %d", c.f, c.s, up, down, nearest, c.up, c.down, c.nearest)
		}
	}
	for s, want := range map[string]RoundMode{"up": RoundUp, "down": RoundDown, "nearest": RoundNearest} {
		if m, ok := ParseRoundMode(s); m != want || !ok {
			t.Errorf("ParseRoundMode(%q) = %d, %v", s, m, ok)
		}
	}
	if _, ok := ParseRoundMode("even"); ok {
		t.Error(`ParseRoundMode("even") is ok`)
	}
}
