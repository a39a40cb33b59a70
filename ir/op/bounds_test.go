package op

import (
	"testing"

	"github.com/bbgen/bbgen/ir"
)

// TestLeast tests the bounds of expressions with symbols that are sizes and therefore not negative.
func TestLeast(t *testing.T) {
	n, m := ir.Sym("n"), ir.Sym("m")
	for _, c := range []struct {
		d    ir.Dim
		want int
		ok   bool
	}{
		{n.Mul(m).Add(ir.C(3)), 3, true},
		{n.Sub(ir.C(1)), -1, true},
		{n.Add(ir.C(-9)).Div(ir.C(2)), -5, true},
		{ir.C(3).Sub(n), 0, false},
		{ir.C(3).Sub(n).Max(ir.C(-2)), -2, true},
		{n.Sub(ir.C(1)).Min(m), -1, true},
		{n.Div(m), 0, true},
		{n.Sub(ir.C(1)).Div(m), 0, false},
		{n.Sub(ir.C(1)).Mod(ir.C(3)), 0, true},
		{n.Sub(m).Mod(ir.C(3)), 0, true},
		{n.Sub(ir.C(3)).Div(ir.C(2)).Mul(m), 0, false},
	} {
		if got, ok := least(c.d); got != c.want || ok != c.ok {
			t.Errorf("least of %s is %d, %v, want %d, %v", c.d, got, ok, c.want, c.ok)
		}
	}
}

// TestBounded: a limit that a size cannot reach leaves no min or max in the expression, which every kernel call and
// check with that size would evaluate.
func TestBounded(t *testing.T) {
	n, m := ir.Sym("n"), ir.Sym("m")
	for _, c := range []struct {
		d, limit    ir.Dim
		most, least string
	}{
		{ir.C(3), ir.C(5), "3", "5"},
		{n, n.Add(ir.C(1)), "n", "n+1"},
		{n.Add(m), n, "n", "m+n"},
		{n, ir.C(0), "0", "n"},
		{n, m, "min(m,n)", "max(m,n)"},
		{n.Sub(ir.C(1)), ir.C(0), "min(n-1,0)", "max(n-1,0)"},
	} {
		if most, least := AtMost(c.d, c.limit).String(), AtLeast(c.d, c.limit).String(); most != c.most || least != c.least {
			t.Errorf("%s is at most %s: %s, want %s; at least: %s, want %s", c.d, c.limit, most, c.most, least, c.least)
		}
	}
}
