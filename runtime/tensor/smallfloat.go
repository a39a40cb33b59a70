package tensor

import "math"

// A small float's magnitude (its bits without the sign) orders like its value
// and, shifted left, is a float32 with another exponent bias. Both directions
// use that.

// widen returns the value of magnitude m of a format with mant bits of mantissa; scale is 2 to the power of 127
// less the format's bias. The caller handles special codes.
func widen(m uint32, mant uint, scale float32) float32 {
	return math.Float32frombits(m<<(23-mant)) * scale
}

// narrow returns the magnitude nearest to |f|, ties to even, in a format with mant bits of mantissa and no
// upper limit: the caller handles overflow and special codes. f is finite.
func narrow(f float32, mant, bias uint) uint32 {
	b := math.Float32bits(f) & 0x7fffffff
	if b < (128-uint32(bias))<<23 { // subnormal in the format
		step := math.Float32frombits((151 - uint32(bias+mant)) << 23) // its ulp is the format's smallest step
		return math.Float32bits(math.Float32frombits(b)+step) - math.Float32bits(step)
	}
	shift := 23 - mant
	b += 1<<(shift-1) - 1 + b>>shift&1
	return b>>shift - (127-uint32(bias))<<mant
}
