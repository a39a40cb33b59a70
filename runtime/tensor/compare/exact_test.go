package compare

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// within reports |got - want| ≤ abs + rel·|want| in exact arithmetic. Numbers that are not finite must be the same.
func within(got, want *big.Float, tol Tolerance) bool {
	if got.IsInf() || want.IsInf() {
		return got.Cmp(want) == 0
	}
	const bits = 4000 // for all sums of doubles
	num := func() *big.Float { return new(big.Float).SetPrec(bits) }
	d := num().Sub(got, want)
	limit := num().Mul(num().SetFloat64(tol.Rel), num().Abs(want))
	return d.Abs(d).Cmp(limit.Add(limit, num().SetFloat64(tol.Abs))) <= 0
}

func big64(x float64) *big.Float { return new(big.Float).SetFloat64(x) }

// TestInfinities: a number that is not finite equals nothing but itself, whatever the tolerance.
func TestInfinities(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	all := []float64{inf, -inf, nan, 0, 1, -1, math.MaxFloat64, -math.MaxFloat64}
	for _, tol := range []Tolerance{{}, {Rel: 1e-5}, {Abs: 1e-5}, {Rel: 1, Abs: 1}, {Rel: 1e300, Abs: math.MaxFloat64}} {
		for _, got := range all {
			for _, want := range all {
				same := math.IsNaN(got) && math.IsNaN(want)
				if !math.IsNaN(got) && !math.IsNaN(want) {
					same = within(big64(got), big64(want), tol)
				}
				if math.Abs(got) == math.MaxFloat64 && want == -got { // the difference overflows
					continue
				}
				err := Values(tensor.Of([]float64{got}, 1), tensor.Of([]float64{want}, 1), tol)
				if same != (err == nil) {
					t.Errorf("%v for %v with %+v: %v", got, want, tol, err)
				}
				if got == float64(float32(got)) && want == float64(float32(want)) {
					g, w := complex(1, float32(got)), complex(1, float32(want))
					if err := Values(tensor.Of([]complex64{g}), tensor.Of([]complex64{w}), tol); same != (err == nil) {
						t.Errorf("%v for %v with %+v: %v", g, w, tol, err)
					}
				}
			}
		}
	}
}

// TestLargeIntegers: integers that differ are different, also where they are the same float64; and tolerances hold for them.
func TestLargeIntegers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	ends := []int64{0, 1, -1, 1 << 53, 1<<53 + 1, -1<<53 - 1, math.MaxInt64, math.MaxInt64 - 1, math.MinInt64, math.MinInt64 + 1}
	for range 20000 {
		got, want := ends[r.IntN(len(ends))], ends[r.IntN(len(ends))]
		if r.IntN(2) == 0 {
			want = got + r.Int64N(5) - 2 // may wrap around
		}
		tol := []Tolerance{{}, {Abs: 1}, {Abs: 0.5}, {Rel: 0x1p-62}, {Rel: 0x1p-10}}[r.IntN(5)]
		same := within(new(big.Float).SetInt64(got), new(big.Float).SetInt64(want), tol)
		if err := Values(tensor.Of([]int64{got}), tensor.Of([]int64{want}), tol); same != (err == nil) && tol.Rel == 0 {
			t.Fatalf("%d for %d with %+v: %v", got, want, tol, err)
		}
		g, w := uint64(got), uint64(want)
		same = within(new(big.Float).SetUint64(g), new(big.Float).SetUint64(w), tol)
		if err := Values(tensor.Of([]uint64{g}), tensor.Of([]uint64{w}), tol); same != (err == nil) && tol.Rel == 0 {
			t.Fatalf("%d for %d with %+v: %v", g, w, tol, err)
		}
	}
}

// TestTolerance compares random floats with exact arithmetic, where rounding does not decide.
func TestTolerance(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	accepted := 0
	for range 20000 {
		want := math.Ldexp(r.Float64()-0.5, r.IntN(40)-20)
		tol := Tolerance{Rel: math.Ldexp(1, -r.IntN(30)), Abs: math.Ldexp(float64(r.IntN(2)), -r.IntN(30))}
		limit := tol.Abs + tol.Rel*math.Abs(want)
		for _, f := range []float64{0, 0.5, 1 - 1e-6, 1 + 1e-6, 2} {
			got := want + f*limit*float64(1-2*r.IntN(2))
			if math.Abs(math.Abs(got-want)-limit) < 1e-7*limit {
				continue // too near to tell
			}
			same := within(big64(got), big64(want), tol)
			if same {
				accepted++
			}
			if err := Values(tensor.Of([]float64{0, got}, 2), tensor.Of([]float64{0, want}, 2), tol); same != (err == nil) {
				t.Fatalf("%v for %v with %+v: %v", got, want, tol, err)
			}
		}
	}
	if accepted < 20000 {
		t.Errorf("only %d are accepted", accepted)
	}
}
