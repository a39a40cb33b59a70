// Package compare compares a value with the expected value of a test case.
package compare

import (
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Tolerance is the allowed difference of numbers: |got-want| ≤ Abs + Rel·|want|.
type Tolerance struct{ Rel, Abs float64 }

// Values reports how got differs from want. Types and shapes must be equal,
// NaN equals NaN, an infinity only itself, and strings are exact.
func Values(got, want tensor.Value, tol Tolerance) error {
	if o, ok := want.(*tensor.Optional); ok {
		return optionals(got, o, tol)
	}
	if o, ok := got.(*tensor.Optional); ok {
		got = o.Value
	}
	switch w := want.(type) {
	case *tensor.Tensor:
		g, ok := got.(*tensor.Tensor)
		if !ok {
			return fmt.Errorf("got %T, want a tensor", got)
		}
		return tensors(g, w, tol)
	case *tensor.Sequence:
		return sequences(got, w, tol)
	case *tensor.Map:
		return maps(got, w, tol)
	}
	return fmt.Errorf("got %T, want %T", got, want)
}

func optionals(got tensor.Value, want *tensor.Optional, tol Tolerance) error {
	if o, ok := got.(*tensor.Optional); ok {
		got = o.Value
	}
	switch {
	case want.Value == nil && got == nil:
		return nil
	case want.Value == nil || got == nil:
		return fmt.Errorf("got %v, want %v", got, want.Value)
	}
	return Values(got, want.Value, tol)
}

func sequences(got tensor.Value, want *tensor.Sequence, tol Tolerance) error {
	g, ok := got.(*tensor.Sequence)
	if !ok {
		return fmt.Errorf("got %T, want a sequence", got)
	}
	if len(g.Items) != len(want.Items) {
		return fmt.Errorf("got %d items, want %d", len(g.Items), len(want.Items))
	}
	for i := range g.Items {
		if err := Values(g.Items[i], want.Items[i], tol); err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
	}
	return nil
}

// maps compares the values of equal keys, independent of their order.
func maps(got tensor.Value, want *tensor.Map, tol Tolerance) error {
	g, ok := got.(*tensor.Map)
	if !ok {
		return fmt.Errorf("got %T, want a map", got)
	}
	if g.Keys.DType != want.Keys.DType || g.Values.DType != want.Values.DType || g.Keys.Len() != want.Keys.Len() {
		return fmt.Errorf("got %v, want %v", g, want)
	}
	at := map[any]int{}
	for i := range g.Keys.Len() {
		at[key(g, i)] = i
	}
	for i := range want.Keys.Len() {
		k, ok := at[key(want, i)]
		if !ok {
			return fmt.Errorf("key %v is missing", key(want, i))
		}
		if err := tensors(g.Values.Item(k), want.Values.Item(i), tol); err != nil {
			return fmt.Errorf("key %v: %w", key(want, i), err)
		}
	}
	return nil
}

// key returns key i of m as a comparable value.
func key(m *tensor.Map, i int) any {
	if k, ok := m.Keys.Data.([]string); ok {
		return k[i]
	}
	return tensor.Data[int64](m.Keys)[i]
}

// Shape reports how the type or shape of got differs from want.
func Shape(got, want tensor.Value) error {
	g, ok := got.(*tensor.Tensor)
	w, ok2 := want.(*tensor.Tensor)
	if !ok || !ok2 {
		return nil
	}
	if g.DType != w.DType || !slices.Equal(g.Shape, w.Shape) {
		return fmt.Errorf("got %s, want %s", g, w)
	}
	return nil
}

func tensors(got, want *tensor.Tensor, tol Tolerance) error {
	if err := Shape(got, want); err != nil {
		return err
	}
	if got.DType == tensor.String {
		return exact(got, want)
	}
	if want.DType.IsComplex() {
		return numbers(parts(got), parts(want), tol)
	}
	g, w := Floats(got), Floats(want)
	switch x := want.Data.(type) { // of these, different numbers may be the same float64
	case []int64:
		return differences(g, w, distances(tensor.Data[int64](got), x), tol)
	case []uint64:
		return differences(g, w, distances(tensor.Data[uint64](got), x), tol)
	}
	return numbers(g, w, tol)
}

func exact(got, want *tensor.Tensor) error {
	g, w := tensor.Data[string](got), tensor.Data[string](want)
	for i := range g {
		if g[i] != w[i] {
			return fmt.Errorf("element %d: got %q, want %q", i, g[i], w[i])
		}
	}
	return nil
}

func numbers(got, want []float64, tol Tolerance) error {
	return differences(got, want, func(i int) float64 {
		g, w := got[i], want[i]
		switch {
		case g == w || math.IsNaN(g) && math.IsNaN(w):
			return 0
		case math.IsNaN(g) || math.IsNaN(w):
			return math.NaN()
		}
		return math.Abs(g - w)
	}, tol)
}

// distances returns a function for the differences of integers, computed without rounding.
func distances[T int64 | uint64](got, want []T) func(i int) float64 {
	return func(i int) float64 { return float64(uint64(max(got[i], want[i])) - uint64(min(got[i], want[i]))) }
}

// differences reports how many numbers differ by more than the tolerance. The function returns the difference of element i.
func differences(got, want []float64, of func(i int) float64, tol Tolerance) error {
	bad, worst, first := 0, 0.0, -1
	for i, w := range want {
		d := of(i)
		if d == 0 || d <= tol.Abs+tol.Rel*math.Abs(w) && !math.IsInf(d, 0) { // no part of an infinity is a tolerance
			continue
		}
		if first < 0 {
			first = i
		}
		bad++
		worst = max(worst, d)
	}
	if bad == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d elements differ, by up to %.3g; element %d: got %g, want %g", bad, len(want), worst, first, got[first], want[first])
}

func parts(t *tensor.Tensor) []float64 {
	var out []float64
	switch d := t.Data.(type) {
	case []complex64:
		for _, z := range d {
			out = append(out, float64(real(z)), float64(imag(z)))
		}
	case []complex128:
		for _, z := range d {
			out = append(out, real(z), imag(z))
		}
	}
	return out
}
