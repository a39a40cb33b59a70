package cpu

import "hash/crc32"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// CRC32C returns the checksum, with Castagnoli's polynomial, of a sequence of bytes with checksum sum,
// followed by p.
func CRC32C(sum uint32, p []byte) uint32 {
	if n := len(p) &^ (crcRound - 1); n >= crcLeast && hasCRCFold() {
		sum, p = ^crcFold(&p[0], n, ^sum, &crcKeys), p[n:]
	}
	return crc32.Update(sum, castagnoli, p)
}

const (
	crcRound = 256  // bytes that are folded at a time
	crcLeast = 1024 // shorter inputs are not folded
)

// crcKeys are the factors of crcFold for moving 64 bits over 256 bytes, the upper ones first, and over 64.
var crcKeys = [4]uint64{crcKey(2048 + 64), crcKey(2048), crcKey(512 + 64), crcKey(512)}

// crcKey returns the factor for moving 64 bits over n bits: the remainder of x to the power of n-1,
// reflected. The exponent is one less because products of reflected numbers are shifted by one.
func crcKey(n int) uint64 {
	r := uint32(1) << 31 // 1
	for range n - 1 {
		low := r & 1
		if r >>= 1; low != 0 {
			r ^= crc32.Castagnoli
		}
	}
	return uint64(r) << 32
}
