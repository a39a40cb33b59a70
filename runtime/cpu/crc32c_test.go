package cpu

import (
	"hash/crc32"
	"math/rand/v2"
	"testing"
)

// The checksum is that of the standard library at every level, for any length and address, and in any parts.
func TestCRC32C(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 10000)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	for _, l := range Levels() {
		defer SetLevel(SetLevel(l))
		for n := 0; n < len(b)-64; n += 1 + r.IntN(100) {
			p := b[r.IntN(64):][:n]
			if got, want := CRC32C(0, p), crc32.Checksum(p, castagnoli); got != want {
				t.Fatalf("%v: %d bytes: %08x, want %08x", l, n, got, want)
			}
			at := r.IntN(n + 1)
			if got, want := CRC32C(CRC32C(0, p[:at]), p[at:]), crc32.Checksum(p, castagnoli); got != want {
				t.Fatalf("%v: %d bytes in two parts: %08x, want %08x", l, n, got, want)
			}
		}
	}
}

// BenchmarkCRC32C measures the checksum at each level.
func BenchmarkCRC32C(b *testing.B) {
	p := make([]byte, 32<<10)
	for _, l := range Levels() {
		b.Run(l.String(), func(b *testing.B) {
			defer SetLevel(SetLevel(l))
			b.SetBytes(int64(len(p)))
			for b.Loop() {
				CRC32C(0, p)
			}
		})
	}
}
