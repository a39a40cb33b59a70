package cpu

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
)

// The keystream is that of the standard library, for any length, at each level that has assembly for it, and nothing beside
// x changes.
func TestKeystream(t *testing.T) {
	for _, l := range Levels() {
		t.Run(l.String(), func(t *testing.T) {
			defer SetLevel(SetLevel(l))
			if !HasKeystream() {
				t.Skip("there is no assembly for it")
			}
			checkKeystream(t)
		})
	}
}

func checkKeystream(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 600 {
		var key, counter [16]byte
		for i := range key {
			key[i], counter[i] = byte(r.Uint32()), byte(r.Uint32())
		}
		block, err := aes.NewCipher(key[:])
		if err != nil {
			t.Fatal(err)
		}
		stream := make([]byte, 4*n)
		cipher.NewCTR(block, counter[:]).XORKeyStream(stream, stream)
		guarded := make([]int32, n+2)
		for i := range guarded {
			guarded[i] = int32(r.Uint32())
		}
		sign := int32(1 - 2*(n%2))
		want := slices.Clone(guarded)
		for i := range n {
			want[1+i] += sign * int32(binary.LittleEndian.Uint32(stream[4*i:]))
		}
		k := NewKeystream(key)
		k.Add(guarded[1:1+n], binary.BigEndian.Uint64(counter[:]), binary.BigEndian.Uint64(counter[8:]), sign)
		if !slices.Equal(guarded, want) {
			t.Fatalf("%d elements are wrong", n)
		}
	}
}

// The portable level has no keystream, so that callers use the standard library.
func TestKeystreamLevel(t *testing.T) {
	defer SetLevel(SetLevel(Portable))
	if HasKeystream() {
		t.Error("the portable level has assembly")
	}
}

// BenchmarkKeystream measures one mask of a part that is in the cache.
func BenchmarkKeystream(b *testing.B) {
	for _, l := range Levels() {
		b.Run(l.String(), func(b *testing.B) {
			defer SetLevel(SetLevel(l))
			if !HasKeystream() {
				b.Skip("there is no assembly for it")
			}
			x, k := make([]int32, 4096), NewKeystream([16]byte{1})
			b.SetBytes(int64(4 * len(x)))
			for b.Loop() {
				k.Add(x, 1, 2, 1)
			}
		})
	}
}
