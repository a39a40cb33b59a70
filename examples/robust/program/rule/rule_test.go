package rule

import (
	"math"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Of 0, 1, 1.6, 3 and a hostile 100 the mean is 21.12 and the median 1.6. Krum selects 1: the sum of the squares of the
// distances to its two neighbors is 1.36, and those of the others are 3.56, 2.32, 5.96 and more.
func TestRules(t *testing.T) {
	for name, want := range map[string]float64{"mean": 21.12, "median": 1.6, "krum": 1} {
		a := Aggregator{Name: name, Faulty: 1}
		if err := a.Open(runtime.Env{}); err != nil {
			t.Fatal(err)
		}
		for i, x := range []float32{0, 1, 1.6, 3, 100} {
			id, err := wire.PeerIDOf(append(make([]byte, 31), byte(i)))
			if err != nil {
				t.Fatal(err)
			}
			if err := a.Contribute(t.Context(), id, values.LargeOf(tensor.DenseOf([]float32{x}, 1)), 1); err != nil {
				t.Fatal(err)
			}
		}
		got, err := a.Aggregate(t.Context())
		if err != nil || len(got.Data) != 1 || math.Abs(float64(got.Data[0])-want) > 1e-5 {
			t.Errorf("%s: %v %v, want %v", name, got.Data, err, want)
		}
	}
}

func TestUnknownRule(t *testing.T) {
	for _, name := range []string{"", "Mean", "bulyan"} {
		if err := (&Aggregator{Name: name}).Open(runtime.Env{}); err == nil || !strings.Contains(err.Error(), "want mean, median or krum") {
			t.Errorf("%q: %v", name, err)
		}
	}
}
