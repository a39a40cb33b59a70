package tensor

import "math"

// BF16 is the bits of a bfloat16, the upper half of a float32.
// It stores [BFloat16].
type BF16 uint16

// Float32 is x, exactly.
func (x BF16) Float32() float32 { return math.Float32frombits(uint32(x) << 16) }

// ToBFloat16 rounds f to nearest even; values that are too large become Inf.
func ToBFloat16(f float32) BF16 {
	b := math.Float32bits(f)
	if f != f { // NaN: the upper bits of the payload, but never zero
		return BF16(b>>16)&0x8000 | 0x7f80 | max(BF16(b>>16)&0x7f, 1)
	}
	return BF16((b + 0x7fff + b>>16&1) >> 16)
}
