package forward

import (
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// Compare reports how got differs from an output that the case wants.
func (c *Case) Compare(got, want tensor.Value) error {
	if o, ok := got.(*tensor.Optional); ok {
		got = o.Value
	}
	switch want := want.(type) {
	case *tensor.Tensor:
		g, ok := got.(*tensor.Tensor)
		if !ok {
			return fmt.Errorf("got %T, want a tensor", got)
		}
		return c.tensors(g, want)
	case *tensor.Sequence:
		g, ok := got.(*tensor.Sequence)
		named := ok && g.Elem != tensor.Undefined // files of empty sequences have no type
		if !ok || named && g.Elem != want.Elem || len(g.Items) != len(want.Items) {
			return fmt.Errorf("got %v, want a sequence of %d of %s", got, len(want.Items), want.Elem)
		}
		for i := range want.Items {
			if err := c.Compare(g.Items[i], want.Items[i]); err != nil {
				return fmt.Errorf("item %d: %w", i, err)
			}
		}
		return nil
	}
	return compare.Values(got, want, compare.Tolerance{Rel: c.Tol, Abs: c.Tol})
}

func (c *Case) tensors(got, want *tensor.Tensor) error {
	if got.DType != want.DType || !slices.Equal(got.Shape, want.Shape) {
		return fmt.Errorf("got %s, want %s", got, want)
	}
	switch {
	case c.Shape:
		return nil
	case c.Exact && want.DType.IsFloat():
		return sameFloats(got, want)
	case want.DType.IsFloat() || want.DType.IsComplex():
		tol := c.tolerance(want.DType)
		return compare.Values(got, want, compare.Tolerance{Rel: tol, Abs: tol})
	case !tensor.Equal(got, want):
		return fmt.Errorf("got %v, want %v", got.Data, want.Data)
	}
	return nil
}

// sameFloats reports the first element that differs in value or in the sign of zero. All NaNs are equal.
func sameFloats(got, want *tensor.Tensor) error {
	g, w := compare.Floats(got), compare.Floats(want)
	for i := range w {
		same := g[i] == w[i] && math.Signbit(g[i]) == math.Signbit(w[i]) || math.IsNaN(g[i]) && math.IsNaN(w[i])
		if !same {
			return fmt.Errorf("element %d is %g, want %g", i, g[i], w[i])
		}
	}
	return nil
}

// tolerance returns the allowed error of a float: a few roundings, unless the case overrides it.
func (c *Case) tolerance(d tensor.DType) float64 {
	if c.Tol > 0 {
		return c.Tol
	}
	switch d {
	case tensor.Float64, tensor.Complex128:
		return 1e-7
	case tensor.Float16:
		return 2e-3
	case tensor.BFloat16:
		return 1.6e-2
	}
	if d.IsSmallFloat() {
		return 0.13
	}
	return 1e-5
}
