package cpu

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

func TestQMatMul(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	eachLevel(t, func(t *testing.T) {
		for _, s := range [][3]int{{1, 784, 512}, {1, 3, 5}, {6, 10, 33}, {17, 8, 40}, {70, 128, 70}, {65, 192, 96}} {
			m, k, n := s[0], s[1], s[2]
			a, b := randomInt8s[int8](r, m*k), randomInt8s[int8](r, k*n)
			packed, add, mult, shift := make([]int8, PackB8Size(k, n)), make([]int32, n), make([]float32, n), make([]int32, n)
			PackB8(packed, b, k, n)
			for j := range n {
				add[j], mult[j] = int32(r.IntN(1000)), r.Float32()/1000
				if m < 64 {
					shift[j] = int32(r.IntN(256) - 128)
				}
			}
			zeros := shift
			if m >= 64 {
				zeros = nil
			}
			sums, floats, bytes := make([]int32, m*n), make([]float32, m*n), make([]uint8, m*n)
			QMatMul(sums, a, packed, Requant{Add: add, Shift: zeros, Zero: 0}, MatMulShape{M: m, K: k, N: n})
			QMatMul(floats, a, packed, Requant{Add: add, Mult: mult, Shift: zeros, Zero: 0, Relu: true}, MatMulShape{M: m, K: k, N: n})
			QMatMul(bytes, a, packed, Requant{Add: add, Mult: mult, Shift: zeros, Zero: 9, Relu: true}, MatMulShape{M: m, K: k, N: n})
			for i := range m {
				for j := range n {
					sum := add[j]
					for l := range k {
						sum += (int32(a[i*k+l]) + 128) * (int32(b[l*n+j]) - shift[j])
					}
					x := max(float32(sum)*mult[j], 0)
					q := uint8(min(math.RoundToEven(float64(x))+9, 255))
					if o := i*n + j; sums[o] != sum || floats[o] != x || bytes[o] != q {
						t.Fatalf("%v: [%d, %d] = %d, %v, %d, want %d, %v, %d", s, i, j, sums[o], floats[o], bytes[o], sum, x, q)
					}
				}
			}
		}
	})
}

// Outputs that are larger than the caches, which tiles write past them, are the same at every level.
func TestFarOutputs(t *testing.T) {
	defer SetThreads(0)
	SetThreads(1)
	const m, k, n = 530, 64, 1024
	if 4*m*n <= farBytes {
		t.Fatalf("an output of %d bytes is near, want more than %d", 4*m*n, farBytes)
	}
	r := rand.New(rand.NewPCG(11, 10))
	a, b := randomInt8s[uint8](r, m*k), randomInt8s[int8](r, k*n)
	packed := make([]int8, PackB8Size(k, n))
	PackB8(packed, b, k, n)
	q := Requant{Add: make([]int32, n)}
	for j := range q.Add {
		q.Add[j] = int32(r.IntN(1000))
	}
	var want []int32
	eachLevel(t, func(t *testing.T) {
		got := tensor.View[int32](tensor.Aligned(4*m*n), 0, m*n)
		QMatMul(got, a, packed, q, MatMulShape{M: m, K: k, N: n})
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Errorf("other outputs than at level %s", Levels()[0])
		}
	})
}
