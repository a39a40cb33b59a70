package tensor

// F4E2M1 has 2 bits of exponent and 1 of mantissa: 0, 0.5, 1, 1.5, 2, 3, 4, 6
// and their negatives, neither Inf nor NaN. The upper four bits are zero.
// It stores [Float4E2M1].
type F4E2M1 uint8

// Float32 is x, exactly.
func (x F4E2M1) Float32() float32 {
	return withSign(widen(uint32(x&7), 1, 0x1p126), uint8(x)<<4)
}

// ToFloat4E2M1 rounds f to nearest even; values that are too large, and Inf, become 6. As there is no NaN,
// NaN becomes -0, and -NaN becomes 0.
func ToFloat4E2M1(f float32) F4E2M1 {
	sign := F4E2M1(signOf(f) >> 4)
	switch {
	case f != f:
		return sign ^ 8
	case f > 6 || f < -6:
		return sign | 7
	}
	return sign | F4E2M1(narrow(f, 1, 1))
}
