package server

import (
	"math"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// aggregated returns the aggregate of numbers.
func aggregated(t *testing.T, a *Rule, all ...float32) float64 {
	t.Helper()
	if err := a.Open(runtime.Env{Random: strings.NewReader(strings.Repeat("random", 100))}); err != nil {
		t.Fatal(err)
	}
	for i, x := range all {
		id, err := wire.PeerIDOf(append(make([]byte, 31), byte(i)))
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Contribute(t.Context(), id, values.LargeOf(tensor.DenseOf([]float32{x}, 1)), 1); err != nil {
			t.Fatal(err)
		}
	}
	got, err := a.Aggregate(t.Context())
	if err != nil || len(got.Data) != 1 {
		t.Fatal(got.Data, err)
	}
	return float64(got.Data[0])
}

// One hostile client of nine moves the mean as far as it likes. By each of the other rules the result stays among the
// honest contributions.
func TestRules(t *testing.T) {
	for _, name := range Rules {
		for _, hostile := range []float32{1e6, -1e6} {
			got := aggregated(t, &Rule{Name: name, Faulty: 1}, 1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, hostile)
			switch honest := got >= 1-1e-5 && got <= 1.7+1e-5; {
			case name == "mean":
				if want := (10.8 + float64(hostile)) / 9; math.Abs(got-want) > 0.1 {
					t.Errorf("mean: %v, want %v", got, want)
				}
			case name == "normbound": // a contribution of -1e6 becomes minus the median of the norms, and those above it the median
				want := (1 + 1.1 + 1.2 + 1.3 + 4*1.4 + math.Copysign(1.4, float64(hostile))) / 9
				if math.Abs(got-want) > 1e-5 {
					t.Errorf("normbound: %v, want %v", got, want)
				}
			case !honest:
				t.Errorf("%s: %v, of honest contributions from 1 to 1.7", name, got)
			}
		}
	}
}

// Without noise the rule gaussian is the mean of clipped contributions.
func TestGaussianClips(t *testing.T) {
	if got := aggregated(t, &Rule{Name: "gaussian", Clip: 2}, 1, -0.5, 1e6); math.Abs(got-2.5/3) > 1e-6 {
		t.Errorf("%v, want %v", got, 2.5/3)
	}
	if err := (&Rule{Name: "gaussian"}).Open(runtime.Env{}); err == nil {
		t.Error("no clip is no error")
	}
}

func TestUnknownRule(t *testing.T) {
	if err := (&Rule{Name: "none"}).Open(runtime.Env{}); err == nil || !strings.Contains(err.Error(), "gaussian") || !strings.Contains(err.Error(), "krum") {
		t.Errorf("%v, want the names of the rules", err)
	}
}
