package tensor

import "math"

// F8E4M3FN has 4 bits of exponent, 3 of mantissa, no Inf, and NaN with all bits set. Its largest value is
// 448. It stores [Float8E4M3FN].
type F8E4M3FN uint8

// F8E4M3FNUZ is E4M3 with bias 8, no Inf, no -0, and NaN instead of -0. Its largest value is 240. It stores
// [Float8E4M3FNUZ].
type F8E4M3FNUZ uint8

// F8E5M2 has 5 bits of exponent, 2 of mantissa, and Inf and NaN as in a half. Its largest value is 57344. It
// stores [Float8E5M2].
type F8E5M2 uint8

// F8E5M2FNUZ is E5M2 with bias 16, no Inf, no -0, and NaN instead of -0. Its largest value is 57344. It
// stores [Float8E5M2FNUZ].
type F8E5M2FNUZ uint8

// Float32 is x, exactly.
func (x F8E4M3FN) Float32() float32 {
	f := widen(uint32(x&0x7f), 3, 0x1p120)
	if x&0x7f == 0x7f {
		f = nan32()
	}
	return withSign(f, uint8(x))
}

// Float32 is x, exactly.
func (x F8E4M3FNUZ) Float32() float32 {
	if x == 0x80 {
		return nan32()
	}
	return withSign(widen(uint32(x&0x7f), 3, 0x1p119), uint8(x))
}

// Float32 is x, exactly.
func (x F8E5M2) Float32() float32 { return F16(uint16(x) << 8).Float32() }

// Float32 is x, exactly.
func (x F8E5M2FNUZ) Float32() float32 {
	if x == 0x80 {
		return nan32()
	}
	return withSign(widen(uint32(x&0x7f), 2, 0x1p111), uint8(x))
}

// ToFloat8E4M3FN rounds f to nearest even. Values that are too large, and Inf, become the largest value if
// saturate is set, otherwise NaN.
func ToFloat8E4M3FN(f float32, saturate bool) F8E4M3FN {
	return F8E4M3FN(toFloat8(f, 3, 7, 0x7e, 0x7f, 0x7f, saturate) | signOf(f))
}

// ToFloat8E5M2 rounds f to nearest even. Values that are too large, and Inf, become the largest value if
// saturate is set, otherwise Inf.
func ToFloat8E5M2(f float32, saturate bool) F8E5M2 {
	return F8E5M2(toFloat8(f, 2, 15, 0x7b, 0x7c, 0x7e, saturate) | signOf(f))
}

// ToFloat8E4M3FNUZ rounds f to nearest even. Values that are too large, and Inf, become the largest value if
// saturate is set, otherwise NaN.
func ToFloat8E4M3FNUZ(f float32, saturate bool) F8E4M3FNUZ {
	return F8E4M3FNUZ(unsignedZero(toFloat8(f, 3, 8, 0x7f, 0x80, 0x80, saturate), f))
}

// ToFloat8E5M2FNUZ rounds f to nearest even. Values that are too large, and Inf, become the largest value if
// saturate is set, otherwise NaN.
func ToFloat8E5M2FNUZ(f float32, saturate bool) F8E5M2FNUZ {
	return F8E5M2FNUZ(unsignedZero(toFloat8(f, 2, 16, 0x7f, 0x80, 0x80, saturate), f))
}

// toFloat8 returns the magnitude of f in a format whose largest finite value has the code limit; over is the
// code for larger values without saturation.
func toFloat8(f float32, mant, bias uint, limit, over, nan uint8, saturate bool) uint8 {
	if f != f {
		return nan
	}
	if f <= math.MaxFloat32 && f >= -math.MaxFloat32 {
		if m := narrow(f, mant, bias); m <= uint32(limit) {
			return uint8(m)
		}
	}
	if saturate {
		return limit
	}
	return over
}

// unsignedZero adds f's sign to the magnitude m, except to zero (0) and NaN (0x80), which have no sign in
// this format.
func unsignedZero(m uint8, f float32) uint8 {
	if m == 0 {
		return 0
	}
	return m | signOf(f)
}

func nan32() float32 { return math.Float32frombits(0x7fc00000) }

// signOf returns f's sign in the upper bit of a byte.
func signOf(f float32) uint8 { return uint8(math.Float32bits(f)>>24) & 0x80 }

// withSign returns f, which is not negative, with the upper bit of x as its sign.
func withSign(f float32, x uint8) float32 {
	return math.Float32frombits(math.Float32bits(f) | uint32(x&0x80)<<24)
}
