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
