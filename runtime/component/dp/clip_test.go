package dp

import (
	"context"
	"math"
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestClipStaysANumber: an adaptive clip that all changes are below or above, for ever or at a huge rate, neither becomes 0, which would be no
// limit, nor infinite, nor jumps back to where it began, also over restarts.
func TestClipStaysANumber(t *testing.T) {
	for _, length := range []float64{0, 1e30} {
		for _, rate := range []float64{0.2, 50, 1e9, math.MaxFloat64} {
			a := opened(t, &Average{Clip: 2, Quantile: 0.5, Rate: rate})
			last := 2.0
			for i := range 1200 {
				for p := range 3 {
					contribute(t, a, p, constant(4, length), 1)
				}
				for _, v := range aggregate(t, a) {
					if v-v != 0 {
						t.Fatalf("changes of length %v at rate %v: the mean is %v", length, rate, v)
					}
				}
				if !(a.clip > 0) || math.IsInf(a.clip, 0) || length == 0 && a.clip > last {
					t.Fatalf("changes of length %v at rate %v: after %d rounds the clip is %v, after %v", length, rate, i, a.clip, last)
				}
				last = a.clip
				if i%100 == 0 {
					a = statetest.Restart(t, a, opened(t, &Average{Clip: 2, Quantile: 0.5, Rate: rate}))
				}
			}
		}
	}
}

// TestLocalExtremes: without noise, a change is scaled to the clip whatever its length is, and what is not finite is refused.
func TestLocalExtremes(t *testing.T) {
	for _, most := range []float64{math.SmallestNonzeroFloat32, 1e-30, 1, 1e30} {
		l := opened(t, &Local{Clip: most})
		for _, v := range []float32{0, math.SmallestNonzeroFloat32, 1, -1e20, math.MaxFloat32, -math.MaxFloat32} {
			y, err := l.Add(context.Background(), tensor.DenseOf([]float32{v, v, v}, 3))
			if err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for _, w := range y.Data {
				sum += float64(w) * float64(w)
			}
			want := min(math.Sqrt(3)*math.Abs(float64(v)), most)
			if got := math.Sqrt(sum); math.Abs(got-want) > want*1e-5+2*math.SmallestNonzeroFloat32 || math.Signbit(float64(y.Data[0])) != math.Signbit(float64(v)) && y.Data[0] != 0 {
				t.Errorf("%v of three, clipped to %v, has length %v, want %v", v, most, got, want)
			}
		}
		for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))} {
			if _, err := l.Add(context.Background(), tensor.DenseOf([]float32{1, bad}, 2)); err == nil {
				t.Errorf("%v is taken", bad)
			}
		}
	}
}
