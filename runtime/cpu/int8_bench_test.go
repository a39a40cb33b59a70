package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkMatMulInteger times products of bytes with packed bytes on one thread and on all.
func BenchmarkMatMulInteger(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range [][3]int{{1, 1024, 1024}, {16, 1024, 1024}, {64, 768, 768}, {196, 256, 64}, {1024, 1024, 1024}} {
		m, k, n := s[0], s[1], s[2]
		x, y := randomInt8s[uint8](r, m*k), randomInt8s[int8](r, k*n)
		packed, dst := make([]int8, PackB8Size(k, n)), make([]int32, m*n)
		PackB8(packed, y, k, n)
		for _, threads := range []int{1, Threads()} {
			b.Run(fmt.Sprintf("%dx%dx%d/threads=%d", m, k, n, threads), func(b *testing.B) {
				defer SetThreads(Threads())
				SetThreads(threads)
				for b.Loop() {
					MatMulIntegerPacked(dst, x, packed, nil, nil, m, k, n)
				}
				b.ReportMetric(float64(2*m*k*n)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GOPS")
			})
		}
	}
}

// BenchmarkByteTile is the micro-kernel alone, with its most rows and operands that are in the cache.
func BenchmarkByteTile(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, quads := range []int{64, 256} {
		b.Run(fmt.Sprint("depth=", 4*quads), func(b *testing.B) {
			t := byteTile{quads: quads, runs: 1, rows: byteRows(quads), lda: 4 * quads, ldp: 4 * quads * panel}
			t.panels = bytePanels(t.rows, 1<<10)
			t.ldc = t.panels * panel
			if t.cols = t.ldc; byteWords(t.rows) {
				t.wide, t.lda = true, 2*t.lda
			}
			t.a, t.b = asBytes(randomInt8s[uint8](r, t.rows*t.lda)), asBytes(randomInt8s[int8](r, t.panels*t.ldp))
			t.c = make([]int32, t.rows*t.ldc)
			for b.Loop() {
				t.run()
			}
			b.ReportMetric(float64(2*t.rows*4*quads*t.ldc)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GOPS")
		})
	}
}
