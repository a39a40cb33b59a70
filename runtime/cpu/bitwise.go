package cpu

import "unsafe"

// BitwiseNot is dst[i] = ^x[i].
func BitwiseNot[T Integer](dst, x []T) {
	for i, v := range x[:len(dst)] {
		dst[i] = ^v
	}
}

// BitwiseAnd is dst[i] = a[i] & b[i], where an operand of one element stands
// for all.
func BitwiseAnd[T Integer](dst, a, b []T) {
	da, db := along(a), along(b)
	for i := range dst {
		dst[i] = a[i&da] & b[i&db]
	}
}

// BitwiseOr is dst[i] = a[i] | b[i], where an operand of one element stands for
// all.
func BitwiseOr[T Integer](dst, a, b []T) {
	da, db := along(a), along(b)
	for i := range dst {
		dst[i] = a[i&da] | b[i&db]
	}
}

// BitwiseXor is dst[i] = a[i] ^ b[i], where an operand of one element stands
// for all.
func BitwiseXor[T Integer](dst, a, b []T) {
	da, db := along(a), along(b)
	for i := range dst {
		dst[i] = a[i&da] ^ b[i&db]
	}
}

// ShiftLeft is dst[i] = a[i] << b[i], where an operand of one element stands
// for all. Shifts that are negative or as wide as the type give 0.
func ShiftLeft[T Integer](dst, a, b []T) {
	da, db := along(a), along(b)
	for i := range dst {
		dst[i] = a[i&da] << shift(b[i&db])
	}
}

// ShiftRight is dst[i] = a[i] >> b[i], where an operand of one element stands for all. Shifts that are negative
// or as wide as the type leave only the sign.
func ShiftRight[T Integer](dst, a, b []T) {
	da, db := along(a), along(b)
	for i := range dst {
		dst[i] = a[i&da] >> shift(b[i&db])
	}
}

// shift returns v as an unsigned count for Go's shifts, which panic for negative counts. A uint of 32 bits would lose the upper bits
// of v.
func shift[T Integer](v T) uint64 {
	if v < 0 {
		return uint64(unsafe.Sizeof(v)) * 8
	}
	return uint64(v)
}

// along returns the mask of an index into x: all ones, or zero if x is one element that stands for all.
func along[T any](x []T) int {
	if len(x) == 1 {
		return 0
	}
	return -1
}
