package differ

import (
	"fmt"
	"math"
	"sync"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// base returns the allowed error of a result relative to the largest element of its tensor, regardless of the
// graph's conditioning.
func base(t tensor.DType) float64 {
	switch {
	case !t.IsFloat():
		return 0
	case t == tensor.Float64:
		return 1e-11
	case t == tensor.Float32:
		return 1e-5
	case t == tensor.Float16:
		return 1.0 / (1 << 9)
	}
	return 1.0 / (1 << 6)
}

// agrees returns an error if got differs from want, the results of the graph m. A larger error than that of
// base is allowed for elements that are ill-conditioned: changes of inner values by a few last bits have a
// comparable effect.
func agrees(m *ir.Module, in, got, want []tensor.Value) error {
	if len(got) != len(want) {
		return fmt.Errorf("got %d outputs, want %d", len(got), len(want))
	}
	others := sync.OnceValue(func() nearby { return near(m, in) })
	for i := range want {
		g, ok := got[i].(*tensor.Tensor)
		w, ok2 := want[i].(*tensor.Tensor)
		if !ok || !ok2 {
			continue
		}
		if err := compare.Shape(g, w); err != nil {
			if others().shapeMoves(i, w) {
				continue
			}
			return fmt.Errorf("output %d differs: %w", i, err)
		}
		if k, _ := worst(g, w, nil); k < 0 {
			continue
		}
		s := others().spread(i, w)
		if k, off := worst(g, w, s); k >= 0 {
			return fmt.Errorf("output %d differs: element %d of %s is %v, want %v: off by %.3g, may by %.3g", i, k, w, at(g, k), at(w, k), off, s[k])
		}
	}
	return nil
}

// worst returns the index of the element of got with the largest error beyond the allowed one, or -1.
func worst(got, want *tensor.Tensor, each []float64) (int, float64) {
	g, w := compare.Floats(got), compare.Floats(want)
	all := 0.0
	for _, x := range w {
		if !math.IsInf(x, 0) && !math.IsNaN(x) {
			all = max(all, math.Abs(x))
		}
	}
	all *= base(want.DType)
	k, most := -1, 0.0
	for i := range w {
		allowed := all
		if each != nil {
			allowed += each[i]
		}
		if d := distance(g[i], w[i]); d > allowed && d > most {
			k, most = i, d
		}
	}
	return k, most
}

// distance returns the distance of two numbers. It is infinite between a number and NaN.
func distance(a, b float64) float64 {
	switch {
	case a == b || math.IsNaN(a) && math.IsNaN(b):
		return 0
	case math.IsNaN(a-b) || math.IsInf(a-b, 0):
		return math.Inf(1)
	}
	return math.Abs(a - b)
}

func at(t *tensor.Tensor, i int) float64 { return compare.Floats(t)[i] }

// identical returns an error if got differs from want in any bit, except that all NaNs are equal, and both
// zeros.
func identical(got, want []tensor.Value) error {
	for i := range want {
		if _, ok := want[i].(*tensor.Tensor); !ok {
			continue
		}
		if err := compare.Values(got[i], want[i], compare.Tolerance{}); err != nil {
			return fmt.Errorf("output %d differs: %w", i, err)
		}
	}
	return nil
}
