package tensor

import "math"

// F8E8M0 is a power of two: 8 bits of exponent with bias 127, no sign, no mantissa, no zero, and NaN with all
// bits set. It is the scale of blocks in the microscaling formats. It stores [Float8E8M0].
type F8E8M0 uint8

// RoundMode is ONNX's attribute round_mode, which only applies to casts to [Float8E8M0].
type RoundMode uint8

// The rounding modes. ONNX's default is up.
const (
	RoundUp      RoundMode = iota // to the next power of two
	RoundDown                     // to the power of two below
	RoundNearest                  // to nearest, ties up
)

// ParseRoundMode parses the attribute's text: "up", "down" or "nearest".
func ParseRoundMode(s string) (RoundMode, bool) {
	switch s {
	case "up":
		return RoundUp, true
	case "down":
		return RoundDown, true
	case "nearest":
		return RoundNearest, true
	}
	return RoundUp, false
}

// Float32 is x, exactly.
func (x F8E8M0) Float32() float32 {
	switch x {
	case 0:
		return 0x1p-127
	case 0xff:
		return nan32()
	}
	return math.Float32frombits(uint32(x) << 23)
}

// ToFloat8E8M0 rounds |f| to a power of two. A value out of range, including 0 and Inf, becomes the nearer end
// of the range if saturate is set, else NaN. Negative numbers lose their sign, as ONNX does not define them.
func ToFloat8E8M0(f float32, saturate bool, mode RoundMode) F8E8M0 {
	const smallest = 0x00400000 // 0x1p-127, a subnormal
	b := math.Float32bits(f) & 0x7fffffff
	switch {
	case b > 0x7f800000:
		return 0xff
	case b < smallest && saturate:
		return 0
	case b < smallest:
		return 0xff
	}
	e, frac := b>>23, b&0x7fffff
	if e == 0 { // from 0x1p-127 to 0x1p-126 the mantissa has one bit less
		frac = (b - smallest) << 1
	}
	if mode == RoundUp && frac > 0 || mode == RoundNearest && frac >= 0x400000 {
		e++
	}
	if e >= 0xff && saturate {
		return 0xfe
	}
	return F8E8M0(min(e, 0xff))
}
