package cpu

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestResizeSizeOfDecimals has the sizes of ONNX Runtime for scales that are decimal numbers: ⌊10·0.7⌋ is 7, although
// float32(0.7) is smaller than 0.7. Those are the sizes of PyTorch as well, whose exporter makes a float32 of the number.
func TestResizeSizeOfDecimals(t *testing.T) {
	for scale, sizes := range map[float32]map[int]int{
		0.7:       {10: 7, 30: 21, 50: 35, 100: 70, 1000: 700, 13: 9},
		0.9:       {10: 9, 30: 27, 50: 45, 100: 90, 1000: 900},
		0.35:      {100: 35, 1000: 350, 10: 3},
		1.3:       {10: 13, 30: 39, 50: 65, 100: 130, 1000: 1300},
		2.3:       {10: 23, 30: 69, 50: 115, 100: 230, 1000: 2300, 3: 6},
		1.0 / 3.0: {3: 1, 10: 3, 30: 10, 1000: 333},
		1.1:       {10: 11, 3: 3, 0: 0},
	} {
		for n, want := range sizes {
			if got := ResizeSize([]float32{9, scale}, 1, n); got != want {
				t.Errorf("%d times %v: %d, want %d", n, scale, got, want)
			}
		}
	}
	rng := rand.New(rand.NewPCG(9, 10))
	for range 50000 { // the exact product, rounded once to 24 bits
		scale, n := 8*rng.Float32(), rng.IntN(1<<20)
		if scale*1024 == float32(math.Floor(float64(scale*1024))) {
			continue
		}
		exact := new(big.Float).Mul(big.NewFloat(float64(scale)), big.NewFloat(float64(n)))
		want, _ := new(big.Float).SetPrec(24).Set(exact).Int64()
		if got := ResizeSize([]float32{scale}, 0, n); int64(got) != want {
			t.Fatalf("%d times %v: %d, want %d", n, scale, got, want)
		}
	}
}

// TestResizeSizeOfFractions is exact for scales with few binary digits, for any size.
func TestResizeSizeOfFractions(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20000 {
		q := int64(1) << rng.IntN(11)
		p := rng.Int64N(4*q + 1)
		n := rng.Int64N(1 << (1 + rng.IntN(28)))
		want := new(big.Int).Div(new(big.Int).Mul(big.NewInt(p), big.NewInt(n)), big.NewInt(q)).Int64()
		if got := ResizeSize([]float32{float32(p) / float32(q)}, 0, int(n)); int64(got) != want {
			t.Fatalf("%d times %d/%d: %d, want %d", n, p, q, got, want)
		}
	}
	for _, s := range []float32{float32(nan), float32(inf), -1, 1e30} {
		if failure(func() { ResizeSize([]float32{s}, 0, 5) }) == nil {
			t.Errorf("5 times %v is no error", s)
		}
	}
}
