package tensor

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"
)

// format is a small float under test, described by its finite values only.
type format struct {
	name  string
	codes int                       // how many codes have no sign bit
	sign  uint16                    // the bit of the sign
	value func(code uint16) float64 // of a code
	round func(f float32) uint16    // to a code
}

var smallFormats = []format{
	{"float16", 0x7c00, 0x8000, func(c uint16) float64 { return float64(F16(c).Float32()) }, func(f float32) uint16 { return uint16(ToFloat16(f)) }},
	{"bfloat16", 0x7f80, 0x8000, func(c uint16) float64 { return float64(BF16(c).Float32()) }, func(f float32) uint16 { return uint16(ToBFloat16(f)) }},
	{"float8e4m3fn", 0x7f, 0x80, func(c uint16) float64 { return float64(F8E4M3FN(c).Float32()) }, func(f float32) uint16 { return uint16(ToFloat8E4M3FN(f, true)) }},
	{"float8e4m3fnuz", 0x80, 0x80, func(c uint16) float64 { return float64(F8E4M3FNUZ(c).Float32()) }, func(f float32) uint16 { return uint16(ToFloat8E4M3FNUZ(f, true)) }},
	{"float8e5m2", 0x7c, 0x80, func(c uint16) float64 { return float64(F8E5M2(c).Float32()) }, func(f float32) uint16 { return uint16(ToFloat8E5M2(f, true)) }},
	{"float8e5m2fnuz", 0x80, 0x80, func(c uint16) float64 { return float64(F8E5M2FNUZ(c).Float32()) }, func(f float32) uint16 { return uint16(ToFloat8E5M2FNUZ(f, true)) }},
	{"float4e2m1", 8, 8, func(c uint16) float64 { return float64(F4E2M1(c).Float32()) }, func(f float32) uint16 { return uint16(ToFloat4E2M1(f)) }},
}

// nearest returns the code without sign whose value is nearest to a magnitude, the even one of two. A magnitude from
// which on the values would need another exponent is the code after the last one: it lies at twice the last step.
func (f *format) nearest(magnitude float64) uint16 {
	at := func(c int) float64 {
		if c < f.codes {
			return f.value(uint16(c))
		}
		return 2*f.value(uint16(f.codes-1)) - f.value(uint16(f.codes-2))
	}
	above := sort.Search(f.codes+1, func(c int) bool { return at(c) >= magnitude })
	switch {
	case above == 0:
		return 0
	case above > f.codes:
		return uint16(f.codes)
	}
	low, high := magnitude-at(above-1), at(above)-magnitude // exact: both have few bits
	if low < high || low == high && (above-1)%2 == 0 {
		return uint16(above - 1)
	}
	return uint16(above)
}

// want returns the code for a number that is neither NaN nor infinite.
func (f *format) want(x float64) uint16 {
	c := f.nearest(math.Abs(x))
	saturates := f.name != "float16" && f.name != "bfloat16"
	if saturates {
		c = min(c, uint16(f.codes-1))
	}
	hasZeros := f.name != "float8e4m3fnuz" && f.name != "float8e5m2fnuz"
	if math.Signbit(x) && (c > 0 || hasZeros) {
		c |= f.sign
	}
	return c
}

// samples calls yield with numbers at which rounding may go wrong: each value, the middle to the next one, and the
// neighbors of both; and with random numbers of all magnitudes.
func (f *format) samples(yield func(x float32)) {
	both := func(x float32) {
		yield(x)
		yield(-x)
	}
	for c := range f.codes {
		v := f.value(uint16(c))
		next := 2*v - f.value(uint16(max(c-1, 0)))
		if c+1 < f.codes {
			next = f.value(uint16(c + 1))
		}
		for _, x := range []float32{float32(v), float32((v + next) / 2)} {
			both(x)
			both(math.Nextafter32(x, 0))
			both(min(math.Nextafter32(x, math.MaxFloat32), math.MaxFloat32))
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		if x := math.Float32frombits(r.Uint32()); x-x == 0 {
			yield(x)
		}
	}
	for _, x := range []float32{0, math.SmallestNonzeroFloat32, 0x1p-126, 0x1p-127, math.MaxFloat32} {
		both(x)
	}
}

// TestNearest compares the rounding to each small float with the nearest of all its values, found by search.
func TestNearest(t *testing.T) {
	for i := range smallFormats {
		f := &smallFormats[i]
		failures := 0
		f.samples(func(x float32) {
			if got, want := f.round(x), f.want(float64(x)); got != want && failures < 10 {
				failures++
				t.Errorf("%s: %b (%g) becomes %#x, want %#x", f.name, x, x, got, want)
			}
		})
	}
}

// TestRoundOddOfAll: a double that is rounded to odd first becomes the nearest value of each small float, also at the
// middle of two values and next to it, where a float32 cannot be.
func TestRoundOddOfAll(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range smallFormats {
		f := &smallFormats[i]
		for range 20000 {
			c := uint16(r.IntN(f.codes - 1))
			x := (f.value(c) + f.value(c+1)) / 2
			switch r.IntN(5) {
			case 0:
				x = math.Nextafter(x, 0)
			case 1:
				x = math.Nextafter(x, math.Inf(1))
			case 2:
				x *= 1 + 0x1p-40
			case 3:
				x = f.value(c) + (f.value(c+1)-f.value(c))*r.Float64()
			}
			if r.IntN(2) == 0 {
				x = -x
			}
			if got, want := f.round(RoundOdd(x)), f.want(x); got != want {
				t.Fatalf("%s: %b becomes %#x, want %#x", f.name, x, got, want)
			}
		}
	}
}

// TestFromFloatRoundsOnce: a constant is the nearest value of its type, not the nearest to a float32.
func TestFromFloatRoundsOnce(t *testing.T) {
	for _, d := range []DType{Float16, BFloat16} {
		f := &smallFormats[0]
		if d == BFloat16 {
			f = &smallFormats[1]
		}
		bits := func(x float64) uint16 {
			if d == BFloat16 {
				return uint16(Data[BF16](FromFloat(d, x))[0])
			}
			return uint16(Data[F16](FromFloat(d, x))[0])
		}
		for c := uint16(1); int(c)+1 < f.codes; c += 7 {
			mid := (f.value(c) + f.value(c+1)) / 2
			for _, x := range []float64{mid, math.Nextafter(mid, 0), math.Nextafter(mid, math.Inf(1)), -mid} {
				if got, want := bits(x), f.want(x); got != want {
					t.Fatalf("%v of %b is %#x, want %#x", d, x, got, want)
				}
			}
		}
		if got := bits(math.MaxFloat64); got != uint16(f.codes) {
			t.Errorf("%v of the largest double is %#x, want Inf", d, got)
		}
		if got := bits(math.Inf(-1)); got != uint16(f.codes)|f.sign {
			t.Errorf("%v of -Inf is %#x", d, got)
		}
		if got := bits(math.NaN()); got&^f.sign <= uint16(f.codes) {
			t.Errorf("%v of NaN is %#x", d, got)
		}
	}
}

// TestOrderIsKept: rounding never swaps two numbers.
func TestOrderIsKept(t *testing.T) {
	for i := range smallFormats {
		f := &smallFormats[i]
		var all []float32
		f.samples(func(x float32) { all = append(all, x) })
		sort.Slice(all, func(a, b int) bool { return all[a] < all[b] })
		last := math.Inf(-1)
		for _, x := range all {
			if v := f.value(f.round(x)); v < last {
				t.Fatalf("%s: %g becomes %g, and a smaller number %g", f.name, x, v, last)
			} else {
				last = v
			}
		}
	}
}

// TestNaNs: no number becomes NaN, and a NaN stays one, with its sign where the format has one.
func TestNaNs(t *testing.T) {
	for _, bits := range []uint32{0x7f800001, 0x7fc00000, 0x7fffffff, 0xff800001, 0xffc00000, 0xffffffff} {
		nan := math.Float32frombits(bits)
		for i := range smallFormats {
			f := &smallFormats[i]
			code := f.round(nan)
			switch f.name {
			case "float4e2m1":
				if code&7 != 0 {
					t.Errorf("%s of NaN is %#x, want a zero", f.name, code)
				}
			case "float8e4m3fnuz", "float8e5m2fnuz":
				if code != 0x80 {
					t.Errorf("%s of NaN is %#x", f.name, code)
				}
			default:
				if v := f.value(code); v == v {
					t.Errorf("%s of NaN is %g", f.name, v)
				}
				if code&f.sign != 0 != (bits>>31 != 0) {
					t.Errorf("%s of %#x is %#x: the sign is lost", f.name, bits, code)
				}
			}
		}
	}
}

// TestE8M0Modes compares the rounding to powers of two with exponents that math.Frexp finds.
func TestE8M0Modes(t *testing.T) {
	want := func(x float64, mode RoundMode) (e int, inRange bool) {
		if x == 0 {
			return -127, false
		}
		frac, exp := math.Frexp(x) // x = frac · 2^exp, frac from 0.5 on
		low := exp - 1
		if low < -127 {
			return -127, false
		}
		switch {
		case mode == RoundUp && frac > 0.5, mode == RoundNearest && frac >= 0.75:
			low++
		}
		return min(low, 127), low <= 127
	}
	r := rand.New(rand.NewPCG(5, 6))
	for i := range 60000 {
		bits := r.Uint32() & 0x7fffffff
		switch i % 4 {
		case 0: // powers of two, the middle between them, and their neighbors
			bits = uint32(r.IntN(512))<<22 + uint32(r.IntN(5)) - 2
		case 1: // subnormals and the smallest numbers after them
			bits = r.Uint32N(0x01000000)
		}
		x := math.Float32frombits(bits)
		if bits > 0x7f800000 {
			continue
		}
		for _, mode := range []RoundMode{RoundUp, RoundDown, RoundNearest} {
			e, ok := want(float64(x), mode)
			if x > math.MaxFloat32 {
				e, ok = 127, false
			}
			code := F8E8M0(e + 127)
			if got := ToFloat8E8M0(x, true, mode); got != code {
				t.Fatalf("mode %d: %b saturates to %#x, want %#x", mode, x, got, code)
			}
			if !ok {
				code = 0xff
			}
			if got := ToFloat8E8M0(-x, false, mode); got != code {
				t.Fatalf("mode %d: %b becomes %#x, want %#x", mode, x, got, code)
			}
		}
	}
}
