package ir

import (
	"math"
	"slices"
)

// Div returns the quotient of d and e rounded down. It is exact where the polynomial division is.
func (d Dim) Div(e Dim) Dim {
	if q, ok := d.Quo(e); ok {
		return q
	}
	by, ok := e.constant()
	if !ok || by <= 0 {
		if a, ok := d.constant(); ok && by != 0 {
			return C(floorDiv(a, by))
		}
		return call("floordiv", d, e)
	}
	whole, rest := d.split(by)
	if _, ok := rest.Const(); ok {
		return whole
	}
	if g := rest.factor(by); g > 1 {
		return whole.Add(rest.shrink(g).Div(C(by / g)))
	}
	if inner, a, ok := rest.quotient(); ok && mulSat(a, by) < maxDivisor {
		return whole.Add(inner.Div(C(a * by)))
	}
	return whole.Add(call("floordiv", rest, e))
}

// maxDivisor limits the divisor when quotients of quotients are merged.
const maxDivisor = math.MaxInt32

// CeilDiv returns the quotient of d and e rounded up.
func (d Dim) CeilDiv(e Dim) Dim { return d.Add(e).Sub(C(1)).Div(e) }

// Mod returns the remainder of [Dim.Div].
func (d Dim) Mod(e Dim) Dim {
	if _, ok := d.Quo(e); ok {
		return C(0)
	}
	by, ok := e.constant()
	if !ok || by <= 0 {
		if a, ok := d.constant(); ok && by != 0 {
			return C(a - by*floorDiv(a, by))
		}
		return call("mod", d, e)
	}
	_, rest := d.split(by)
	if _, ok := rest.Const(); ok {
		return rest
	}
	return call("mod", rest, e)
}

// split returns d as whole·by + rest. No term of rest is divisible by by, except for its constant, which is
// between 0 and by−1.
func (d Dim) split(by int64) (whole, rest Dim) {
	for _, t := range d.terms {
		q := floorDiv(t.Coef, by)
		switch {
		case t.Coef == by*q:
			whole.terms = append(whole.terms, Term{q, t.Factors})
		case len(t.Factors) > 0:
			rest.terms = append(rest.terms, t)
		default:
			whole, rest = whole.Add(C(q)), rest.Add(C(t.Coef-by*q))
		}
	}
	return whole, rest
}

// factor returns the largest number that divides by and all coefficients of d except the constant: (4·n +
// 3)/6 is (2·n + 1)/3.
func (d Dim) factor(by int64) int64 {
	for _, t := range d.terms {
		for a := t.Coef; len(t.Factors) > 0 && a != 0; {
			by, a = a, by%a
		}
	}
	return max(by, -by)
}

// shrink divides d by a factor of its, and rounds the constant down.
func (d Dim) shrink(by int64) Dim {
	whole, _ := d.split(by)
	return whole
}

// quotient returns d as a quotient inner/by: n/2 + 3 is (n + 6)/2.
func (d Dim) quotient() (inner Dim, by int64, ok bool) {
	var add int64
	switch n := len(d.terms); {
	case n == 2 && len(d.terms[1].Factors) == 0:
		add = d.terms[1].Coef
	case n != 1:
		return Dim{}, 0, false
	}
	t := d.terms[0]
	if t.Coef != 1 || len(t.Factors) != 1 || t.Factors[0].Func != "floordiv" {
		return Dim{}, 0, false
	}
	if by, ok = t.Factors[0].Args[1].constant(); !ok || by <= 0 || by > maxDivisor {
		return Dim{}, 0, false
	}
	return t.Factors[0].Args[0].Add(C(mulSat(add, by))), by, true
}

// Quo divides d by e if the division is exact for all values of the symbols.
func (d Dim) Quo(e Dim) (Dim, bool) {
	if len(e.terms) == 0 || len(e.terms) > 1 && d.width()*e.width() > maxProduct {
		return Dim{}, false
	}
	var q []Term
	for len(d.terms) > 0 && len(q) <= maxProduct {
		t, ok := d.terms[0].quo(e.terms[0])
		if !ok {
			return Dim{}, false
		}
		q = append(q, t)
		if len(e.terms) == 1 {
			d = Dim{d.terms[1:]}
		} else {
			d = d.Sub(e.Mul(Dim{[]Term{t}}))
		}
	}
	return collect(q), len(d.terms) == 0
}

// quo divides the coefficients and factors of two terms, if the division is exact.
func (t Term) quo(by Term) (Term, bool) {
	if t.Coef%by.Coef != 0 {
		return Term{}, false
	}
	rest := slices.Clone(t.Factors)
	for _, f := range by.Factors {
		i := slices.IndexFunc(rest, f.equal)
		if i < 0 {
			return Term{}, false
		}
		rest = slices.Delete(rest, i, i+1)
	}
	return Term{t.Coef / by.Coef, rest}, true
}
