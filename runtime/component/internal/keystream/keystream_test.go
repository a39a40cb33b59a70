package keystream

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/cpu"
)

// The numbers are those of package cipher at each level, in any parts, also where the counter overflows half of its
// bytes.
func TestStream(t *testing.T) {
	var over [32]byte
	for i := 24; i < len(over); i++ {
		over[i] = 0xff
	}
	for _, l := range cpu.Levels() {
		defer cpu.SetLevel(cpu.SetLevel(l))
		for _, key := range [][32]byte{{1, 2, 3, 16: 4, 31: 5}, over} {
			block, _ := aes.NewCipher(key[:16])
			b := make([]byte, 4000)
			cipher.NewCTR(block, key[16:]).XORKeyStream(b, b)
			want := make([]int32, 1000)
			for i := range want {
				want[i] = int32(binary.LittleEndian.Uint32(b[4*i:]))
			}
			got, s := make([]int32, 1000), New(key, 0)
			s.Add(got[:400], 1)
			s.Add(got[400:404], 1)
			s.Add(got[404:999], 1)
			if !slices.Equal(got[:999], want[:999]) {
				t.Fatalf("%v: the numbers of %x are wrong", l, key)
			}
			New(key, 100).Add(got[400:], -1)
			if !slices.Equal(got[400:999], make([]int32, 599)) || got[999] != -want[999] {
				t.Fatalf("%v: the numbers of %x from block 100 on are wrong", l, key)
			}
		}
	}
}
