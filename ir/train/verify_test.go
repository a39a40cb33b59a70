package train

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
)

// TestVerify: each graph of a program is verified.
func TestVerify(t *testing.T) {
	parsed := func() *ir.Module {
		m, err := ir.Parse("in.ir", "module \"m\"\nopset 20\n\nfunc @main(%x: float32[4]) -> (%y) {\n  %y = Exp(%x)\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	good, bad := parsed(), parsed()
	bad.Main.Body.Nodes = nil // its result is computed nowhere
	for name, p := range map[string]*Program{
		"step":    {Step: bad, Eval: good},
		"update":  {Step: good, Update: bad, Eval: good},
		"eval":    {Step: good, Eval: bad},
		"forward": {Step: good, Eval: good, Forward: bad},
		"":        {Step: good, Eval: good},
	} {
		if got := verified(p); (name != "") != strings.HasPrefix(got, "BUG: after train: ") {
			t.Errorf("%q is wrong: got %q", name, got)
		}
	}
}

// verified returns the panic of verify, or "".
func verified(p *Program) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprint(r)
		}
	}()
	p.verify()
	return ""
}
