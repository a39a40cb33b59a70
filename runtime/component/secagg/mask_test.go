package secagg

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/cpu"
)

// numbersOf returns the first n numbers of a key, as one stream.
func numbersOf(key [secretSize]byte, n int) []int32 {
	block, _ := aes.NewCipher(key[:16])
	b := make([]byte, 4*n)
	cipher.NewCTR(block, key[16:]).XORKeyStream(b, b)
	x := make([]int32, n)
	for i := range x {
		x[i] = int32(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return x
}

// Masks are the numbers of their streams, however many parts a vector has, and also where the counter overflows half
// of its bytes, at each level.
func TestMasks(t *testing.T) {
	for _, l := range cpu.Levels() {
		t.Run(l.String(), func(t *testing.T) {
			defer cpu.SetLevel(cpu.SetLevel(l))
			checkMasks(t)
		})
	}
}

func checkMasks(t *testing.T) {
	var one, two, three [secretSize]byte
	for i := range one {
		one[i], two[i] = byte(i), byte(3*i)
	}
	for i := 24; i < secretSize; i++ {
		three[i] = 0xff
	}
	for _, n := range []int{0, 1, 3, 4, 5, partSize - 1, partSize + 1, 2*leastPart + 5, 3 * leastPart} {
		var m masks
		m.add(one, 1)
		m.add(two, -1)
		m.add(three, 1)
		got, want := make([]int32, n), make([]int32, n)
		a, b, c := numbersOf(one, n), numbersOf(two, n), numbersOf(three, n)
		for i := range want {
			got[i], want[i] = int32(i), int32(i)+a[i]-b[i]+c[i]
		}
		m.apply(got, got)
		if !slices.Equal(got, want) {
			t.Fatalf("the masks of %d elements are wrong", n)
		}
		for at := 0; at < n; at += 4 * (1 + n/7) {
			part := make([]int32, n-at)
			(&masks{added: [][secretSize]byte{three}}).applyFrom(part, part, at)
			if !slices.Equal(part, c[at:]) {
				t.Fatalf("the mask of %d elements is wrong from %d on", n, at)
			}
		}
	}
}

// The masks of a client among ten, and those that the server removes if two of them are lost: of 1.66 million elements.
func BenchmarkMasks(b *testing.B) {
	for _, c := range []struct {
		name  string
		masks int
	}{{"client", 10}, {"server", 8 + 2*8}} {
		b.Run(c.name, func(b *testing.B) {
			x, m := make([]int32, 1_663_370), masks{}
			for i := range c.masks {
				m.add([secretSize]byte{byte(i)}, 1)
			}
			b.SetBytes(int64(4 * len(x) * c.masks))
			for b.Loop() {
				m.apply(x, x)
			}
		})
	}
}
