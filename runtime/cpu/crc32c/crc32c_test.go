package crc32c

import (
	"hash/crc32"
	"math/rand/v2"
	"testing"

	"github.com/bbgen/bbgen/runtime/cpu"
)

// The checksum is that of the standard library at every level, for any length and address, and in any parts.
func TestCRC32C(t *testing.T) {
	for _, l := range cpu.Levels() {
		t.Run(l.String(), func(t *testing.T) {
			defer cpu.SetLevel(cpu.SetLevel(l))
			comparesWithStandard(t)
		})
	}
}

func comparesWithStandard(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 10000)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	for n := 0; n < len(b)-64; n += 1 + r.IntN(100) {
		p := b[r.IntN(64):][:n]
		if got, want := Update(0, p), crc32.Checksum(p, castagnoli); got != want {
			t.Fatalf("%d bytes: %08x, want %08x", n, got, want)
		}
		at := r.IntN(n + 1)
		if got, want := Update(Update(0, p[:at]), p[at:]), crc32.Checksum(p, castagnoli); got != want {
			t.Fatalf("%d bytes in two parts: %08x, want %08x", n, got, want)
		}
	}
}

// BenchmarkCRC32C measures the checksum at each level.
func BenchmarkCRC32C(b *testing.B) {
	p := make([]byte, 32<<10)
	for _, l := range cpu.Levels() {
		b.Run(l.String(), func(b *testing.B) {
			defer cpu.SetLevel(cpu.SetLevel(l))
			b.SetBytes(int64(len(p)))
			for b.Loop() {
				Update(0, p)
			}
		})
	}
}
