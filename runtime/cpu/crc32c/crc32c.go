package crc32c

import "hash/crc32"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Update returns the checksum, with Castagnoli's polynomial, of a sequence of bytes with checksum sum,
// followed by p.
func Update(sum uint32, p []byte) uint32 {
	if n := len(p) &^ (round - 1); n >= least && hasFold() {
		sum, p = ^fold(&p[0], n, ^sum, &keys), p[n:]
	}
	return crc32.Update(sum, castagnoli, p)
}

const (
	round = 256  // bytes that are folded at a time
	least = 1024 // shorter inputs are not folded
)

// keys are the factors of fold for moving 64 bits over 256 bytes, the upper ones first, and over 64.
var keys = [4]uint64{key(2048 + 64), key(2048), key(512 + 64), key(512)}

// key returns the factor for moving 64 bits over n bits: the remainder of x to the power of n-1,
// reflected. The exponent is one less because products of reflected numbers are shifted by one.
func key(n int) uint64 {
	r := uint32(1) << 31 // 1
	for range n - 1 {
		low := r & 1
		if r >>= 1; low != 0 {
			r ^= crc32.Castagnoli
		}
	}
	return uint64(r) << 32
}
