package secagg

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
)

// mask adds to x the numbers that follow from a key, or subtracts them: AES in counter mode. Sums wrap around,
// so that masks cancel exactly.
func mask(x []int32, key [secretSize]byte, sign int32) {
	block, err := aes.NewCipher(key[:16])
	if err != nil {
		panic("BUG: " + err.Error()) // the size is right
	}
	stream := cipher.NewCTR(block, key[16:])
	var buffer [8192]byte
	for len(x) > 0 {
		n := min(len(buffer)/4, len(x))
		part := buffer[:4*n]
		clear(part)
		stream.XORKeyStream(part, part)
		for i := range x[:n] {
			x[i] += sign * int32(binary.LittleEndian.Uint32(part[4*i:]))
		}
		x = x[n:]
	}
}
