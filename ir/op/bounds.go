package op

import (
	"math"

	"github.com/bbgen/bbgen/ir"
)

// FarAway is beyond the end of every axis; exporters write the largest integer for "to the end".
const FarAway = min(1<<40, math.MaxInt-1)

// MaxStep limits strides, dilations, pads and kernels, so that sizes computed from them do not overflow.
const MaxStep = min(1<<31, math.MaxInt)

// NonNegative reports whether d is at least 0 for all values of its symbols, which are sizes.
func NonNegative(d ir.Dim) bool {
	n, ok := least(d)
	return ok && n >= 0
}

// least returns a lower bound of d for all values of its symbols, which are sizes. It is not ok if no bound
// is known.
func least(d ir.Dim) (int, bool) {
	sum := ir.C(0)
	for _, t := range d.Terms() {
		n, ok := leastTerm(t)
		if !ok {
			return 0, false
		}
		sum = sum.Add(ir.C(n))
	}
	n, _ := sum.Const()
	return n, true
}

// leastTerm returns a lower bound of a term. A product of several factors only has one if no factor is
// negative.
func leastTerm(t ir.Term) (int, bool) {
	if len(t.Factors) == 0 {
		return ir.Int(t.Coef), true
	}
	if t.Coef < 0 {
		return 0, false
	}
	product := ir.C(t.Coef)
	for _, f := range t.Factors {
		n, ok := leastFactor(f)
		if !ok || n < 0 && len(t.Factors) > 1 {
			return 0, false
		}
		product = product.Mul(ir.C(n))
	}
	n, _ := product.Const()
	return n, true
}

func leastFactor(f ir.Factor) (int, bool) {
	if f.Func == "" {
		return 0, true
	}
	a, aok := least(f.Args[0])
	b, bok := least(f.Args[1])
	switch f.Func {
	case "max":
		return larger(a, aok, b, bok)
	case "min", "bcast":
		return min(a, b), aok && bok
	case "floordiv", "mod":
		by, ok := f.Args[1].Const()
		switch {
		case !ok || by <= 0:
		case f.Func == "mod":
			return 0, true
		case aok:
			n, _ := ir.C(a).Div(ir.C(by)).Const()
			return n, true
		}
	}
	return 0, aok && bok && a >= 0 && b >= 0 // a product, a quotient or a remainder
}

// larger returns the larger of two bounds, or the one that is known.
func larger(a int, aok bool, b int, bok bool) (int, bool) {
	switch {
	case aok && bok:
		return max(a, b), true
	case aok:
		return a, true
	}
	return b, bok
}

// AtMost returns the smaller of d and limit, simplified if it is known which is smaller.
func AtMost(d, limit ir.Dim) ir.Dim {
	switch {
	case NonNegative(limit.Sub(d)):
		return d
	case NonNegative(d.Sub(limit)):
		return limit
	}
	return d.Min(limit)
}

// AtLeast returns the larger of d and limit, simplified if it is known which is larger.
func AtLeast(d, limit ir.Dim) ir.Dim {
	switch {
	case NonNegative(d.Sub(limit)):
		return d
	case NonNegative(limit.Sub(d)):
		return limit
	}
	return d.Max(limit)
}
