package tensor

import "math"

// F16 is the bits of an IEEE 754 half: 1 sign, 5 exponent, 10 mantissa.
// It stores [Float16].
type F16 uint16

// Float32 is x, exactly; a NaN keeps its payload.
func (x F16) Float32() float32 {
	b := uint32(x&0x7fff) << 13
	if b >= 0x1f<<23 { // Inf and NaN
		b |= 0xff << 23
	} else { // converts the exponent from bias 15 to 127, also for subnormals
		b = math.Float32bits(math.Float32frombits(b) * 0x1p112)
	}
	return math.Float32frombits(b | uint32(x&0x8000)<<16)
}

// ToFloat16 rounds f to nearest even; values that are too large become Inf.
func ToFloat16(f float32) F16 {
	b := math.Float32bits(f)
	sign := F16(b>>16) & 0x8000
	b &= 0x7fffffff
	switch {
	case b > 0x7f800000: // NaN: the upper bits of the payload, but never zero
		return sign | 0x7c00 | max(F16(b>>13)&0x3ff, 1)
	case b >= 0x47800000: // 65536 and above
		return sign | 0x7c00
	case b < 0x38800000: // below 0x1p-14: one ulp of 0.5 is the half's smallest step
		return sign | F16(math.Float32bits(math.Float32frombits(b)+0.5)-0x3f000000)
	}
	b += 0xfff + b>>13&1 // may carry into the exponent, up to Inf
	return sign | F16((b-112<<23)>>13)
}
