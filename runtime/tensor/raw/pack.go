package raw

// PackBits appends src to dst with several elements in a byte, the first in the lowest bits. An element's
// value is the low bits of its byte; bits is 2 or 4.
func PackBits(dst, src []byte, bits int) []byte {
	per := 8 / bits
	mask := byte(1)<<bits - 1
	for len(src) > 0 {
		var b byte
		k := min(per, len(src))
		for i, x := range src[:k] {
			b |= x & mask << (i * bits)
		}
		dst, src = append(dst, b), src[k:]
	}
	return dst
}

// UnpackBits is the inverse of [PackBits]: it sets dst to the elements of src, a byte for each. If signed is
// set, the upper bit of an element is its sign.
//
// Invariant: src has at least as many elements as dst.
func UnpackBits(dst, src []byte, bits int, signed bool) {
	per, spare := 8/bits, 8-bits
	for i := range dst {
		x := src[i/per] >> (i % per * bits) << spare // at the top of the byte
		if signed {
			dst[i] = byte(int8(x) >> spare)
		} else {
			dst[i] = x >> spare
		}
	}
}
