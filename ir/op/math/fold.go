package math

import (
	"math"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// Inference tracks the known content of small integer tensors through the arithmetic that exporters apply to
// shapes. A bool is 0 or 1.

// knowBinary records the results of f for the elements of inputs 0 and 1, if both are known and f is ok for
// each pair.
func knowBinary(c *op.Infer, f func(a, b ir.Dim) (ir.Dim, bool)) {
	a, aok := c.Content(op.A)
	b, bok := c.Content(op.B)
	if !aok || !bok {
		return
	}
	if out, ok := elementwise(a, b, f); ok {
		c.Know(0, out)
	}
}

// elementwise returns the results of f for each pair of elements; a single element broadcasts. It is not ok
// if f is not, or if a and b do not broadcast.
func elementwise(a, b []ir.Dim, f func(a, b ir.Dim) (ir.Dim, bool)) ([]ir.Dim, bool) {
	n := len(a)
	if n == 1 {
		n = len(b)
	}
	if n != len(b) && len(b) != 1 {
		return nil, false
	}
	out := make([]ir.Dim, n)
	for i := range out {
		d, ok := f(a[i%len(a)], b[i%len(b)])
		if !ok || overflows(d) {
			return nil, false
		}
		out[i] = d
	}
	return out, true
}

// overflows reports whether a constant may be beyond the integers, where sizes
// stay at the largest and kernels wrap around.
func overflows(d ir.Dim) bool {
	n, ok := d.Const()
	return ok && (n == math.MaxInt || n <= -math.MaxInt)
}

// foldBinary is [op.InferBinary] for an operator that f computes on sizes.
func foldBinary(f func(a, b ir.Dim) ir.Dim) func(c *op.Infer) error {
	return func(c *op.Infer) error {
		if err := op.InferBinary(c); err != nil {
			return err
		}
		knowBinary(c, func(a, b ir.Dim) (ir.Dim, bool) { return f(a, b), true })
		return nil
	}
}

// quotient returns a / b rounded towards 0, which is [ir.Dim.Div] as long as nothing
// is negative.
func quotient(m *ir.Module, a, b ir.Dim) (ir.Dim, bool) {
	x, aok := a.Const()
	y, bok := b.Const()
	switch {
	case b.Is(0):
		return ir.Dim{}, false
	case aok && bok:
		return ir.C(x / y), true
	}
	return a.Div(b), !m.FromData(a) && !m.FromData(b) && (!bok || y > 0)
}

// equalDims reports whether a and b are equal, if that is so for all values of
// their symbols.
func equalDims(m *ir.Module, a, b ir.Dim) (equal, ok bool) {
	if a.Equal(b) {
		return true, true
	}
	if _, ok := a.Sub(b).Const(); ok {
		return false, true
	}
	x, aok := a.Const()
	y, bok := b.Const()
	return false, aok && x < 0 && isSize(m, b) || bok && y < 0 && isSize(m, a)
}

// isSize reports whether d is a sum of products of sizes, and so not negative.
func isSize(m *ir.Module, d ir.Dim) bool {
	if m.FromData(d) {
		return false
	}
	for _, t := range d.Terms() {
		if t.Coef < 0 {
			return false
		}
		for _, f := range t.Factors {
			for _, a := range f.Args {
				if !isSize(m, a) {
					return false
				}
			}
		}
	}
	return true
}
