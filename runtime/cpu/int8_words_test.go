package cpu

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// The assembly widens runs of all sizes as Go does, and writes nothing after them.
func TestWidenRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	eachLevel(t, func(t *testing.T) {
		for quads := range 14 {
			for _, starts := range [][]int{{}, {0}, {3}, {0, 4 * quads}, {1, 70, 130}} {
				x := asBytes(randomInt8s[uint8](r, 130+4*quads))
				n := 8 * quads * len(starts)
				got, want := slices.Repeat([]byte{7}, n+9), slices.Repeat([]byte{7}, n+9)
				sum, wantSum := widenRuns(got, x, starts, quads), widenRunsGo(want, x, starts, quads)
				if sum != wantSum || !bytes.Equal(got, want) {
					t.Fatalf("%d groups from %v on: sum %d, want %d; words\n%v, want\n%v", quads, starts, sum, wantSum, got, want)
				}
			}
		}
	})
}

// Micro-kernels for widened rows compute what the portable one does for rows of bytes.
func TestWideTiles(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	eachLevel(t, func(t *testing.T) {
		for rows := 3; rows <= maxWordRows && byteWords(rows); rows++ {
			for _, quads := range []int{0, 1, 2, 9, 70} {
				for _, cols := range []int{1, 16, 17, 32} {
					a, b := asBytes(randomInt8s[uint8](r, rows*4*quads)), asBytes(randomInt8s[int8](r, 4*quads*panel))
					want := byteTile{a: a, b: b, c: make([]int32, rows*panel), lda: 4 * quads, ldc: panel, quads: quads, runs: 1, rows: rows, panels: 1, cols: cols}
					want.runGo()
					got := want
					got.a, got.c, got.lda, got.wide = make([]byte, 2*len(a)), make([]int32, rows*panel), 2*want.lda, true
					for i := range rows {
						widenRuns(got.a[i*got.lda:], a[i*want.lda:], []int{0}, quads)
					}
					got.run()
					for i := range rows {
						if g, w := got.c[i*panel:][:cols], want.c[i*panel:][:cols]; !slices.Equal(g, w) {
							t.Fatalf("%d rows of %d groups, %d columns: row %d is %v, want %v", rows, quads, cols, i, g, w)
						}
					}
				}
			}
		}
	})
}
