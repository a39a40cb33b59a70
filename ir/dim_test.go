package ir_test

import (
	"math/rand/v2"
	"testing"

	"github.com/bbgen/bbgen/ir"
)

// TestQuotients shows the normal form of quotients: exact parts are outside, and quotients of quotients are
// merged.
func TestQuotients(t *testing.T) {
	n, m := ir.Sym("n"), ir.Sym("m")
	half := func(d ir.Dim) ir.Dim { return d.Sub(ir.C(1)).Div(ir.C(2)).Add(ir.C(1)) } // a convolution of stride 2
	area := n.Add(ir.C(1)).Mul(m.Add(ir.C(1)))
	for _, c := range []struct {
		got  ir.Dim
		want string
	}{
		{half(n), "floordiv(n+1,2)"},
		{half(half(half(n))), "floordiv(n+7,8)"},
		{n.Mul(ir.C(4)).Add(m).Add(ir.C(9)).Div(ir.C(4)), "floordiv(m+1,4)+n+2"},
		{n.Mul(ir.C(4)).Add(ir.C(3)).Div(ir.C(6)), "floordiv(2*n+1,3)"},
		{n.Mul(ir.C(6)).Add(ir.C(5)).Div(ir.C(3)), "2*n+1"},
		{n.Mul(ir.C(6)).Add(m).Sub(ir.C(1)).Mod(ir.C(3)), "mod(m+2,3)"},
		{ir.C(60).Mul(area).Div(ir.C(4).Mul(area)), "15"},
		{area.Div(n.Add(ir.C(1))), "m+1"},
		{area.Div(n.Add(ir.C(2))), "floordiv(m*n+m+n+1,n+2)"},
		{n.Div(ir.C(-2)), "floordiv(n,-2)"},
		{n.Div(ir.C(0)), "floordiv(n,0)"},
	} {
		if got := c.got.String(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// TestDivision compares quotients and remainders of random polynomials with those of their values.
func TestDivision(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		d, e := randomDim(rng, 3), randomDim(rng, 1)
		vals := map[string]int{"n": rng.IntN(9), "m": rng.IntN(9)}
		env := func(s string) (int, bool) { v, ok := vals[s]; return v, ok }
		a, _ := d.Eval(env)
		b, _ := e.Eval(env)
		if b == 0 {
			continue
		}
		q, qok := d.Div(e).Eval(env)
		r, rok := d.Mod(e).Eval(env)
		if want := floor(a, b); qok && q != want || rok && r != a-b*want {
			t.Fatalf("(%s)/(%s) is %s rest %s: %d/%d is %d rest %d, want %d", d, e, d.Div(e), d.Mod(e), a, b, q, r, want)
		}
	}
}

func floor(a, b int) int {
	q := a / b
	if q*b != a && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func randomDim(rng *rand.Rand, depth int) ir.Dim {
	d := ir.C(rng.IntN(13) - 4)
	for range rng.IntN(3) {
		t := ir.C(rng.IntN(13) - 4)
		for range rng.IntN(3) {
			t = t.Mul(ir.Sym([]string{"n", "m"}[rng.IntN(2)]))
		}
		d = d.Add(t)
	}
	if depth > 0 && rng.IntN(2) == 0 {
		d = d.Add(randomDim(rng, depth-1).Div(ir.C(rng.IntN(8) + 1)))
	}
	return d
}

// TestDimOrder: the larger and the smaller of two sizes do not depend on their order, so that equal sizes are equal dims.
func TestDimOrder(t *testing.T) {
	n, m := ir.Sym("n"), ir.Sym("m")
	for _, tt := range []struct {
		d, e ir.Dim
		want string
	}{
		{n, ir.C(2), "max(n,2) min(n,2)"},
		{n, m, "max(m,n) min(m,n)"},
		{n.Add(ir.C(1)), m.Mul(n), "max(m*n,n+1) min(m*n,n+1)"},
		{ir.C(3), ir.C(2), "3 2"},
	} {
		for _, x := range [][2]ir.Dim{{tt.d, tt.e}, {tt.e, tt.d}} {
			if got := x[0].Max(x[1]).String() + " " + x[0].Min(x[1]).String(); got != tt.want {
				t.Errorf("of %s and %s: %s, want %s", x[0], x[1], got, tt.want)
			}
		}
		if a, b := tt.d.Max(tt.e).Sub(tt.e.Max(tt.d)), tt.d.Min(tt.e).Sub(tt.e.Min(tt.d)); !a.Is(0) || !b.Is(0) {
			t.Errorf("of %s and %s: the differences are %s and %s, want 0", tt.d, tt.e, a, b)
		}
	}
}
