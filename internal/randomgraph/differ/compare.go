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
	var v *vicinity
	some := sync.OnceValue(func() (n nearby) { v, n = near(m, in); return n })
	all := sync.OnceValue(func() nearby { return v.closer(some()) })
	for i := range want {
		g, ok := got[i].(*tensor.Tensor)
		w, ok2 := want[i].(*tensor.Tensor)
		if !ok || !ok2 {
			continue
		}
		if alike(g, w) || some().explains(i, g, w) == nil {
			continue
		}
		if err := all().explains(i, g, w); err != nil {
			return fmt.Errorf("output %d differs: %w", i, err)
		}
	}
	return nil
}

// explains returns an error if output i may not be got where it is want without changes.
func (n nearby) explains(i int, got, want *tensor.Tensor) error {
	if err := compare.Shape(got, want); err != nil {
		if n.shapeMoves(i, want) {
			return nil
		}
		return err
	}
	s := n.spread(i, want)
	n.allowUnderflow(s, i, got, want)
	if k, off := worst(got, want, s); k >= 0 {
		return fmt.Errorf("element %d of %s is %v, want %v: off by %.3g, may by %.3g", k, want, at(got, k), at(want, k), off, s[k])
	}
	return nil
}

// alike reports whether got is want up to the error that every result may have.
func alike(got, want *tensor.Tensor) bool {
	if compare.Shape(got, want) != nil {
		return false
	}
	k, _ := worst(got, want, nil)
	return k < 0
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
