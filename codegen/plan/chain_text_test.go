package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// TestChainTexts shows which nodes become chains.
func TestChainTexts(t *testing.T) {
	golden.Run(t, "testdata/chain_*.txtar", func(t *testing.T, a *golden.Archive) {
		m, err := ir.Parse("in.ir", a.Get("in.ir"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := planOf(m)
		if err != nil {
			t.Fatal(err)
		}
		a.Check("out/plan", planText(p))
	})
}

// TestVectors shows which vectors of unknown length become chains.
func TestVectors(t *testing.T) {
	golden.Run(t, "testdata/vector_*.txtar", func(t *testing.T, a *golden.Archive) {
		m, err := ir.Parse("in.ir", a.Get("in.ir"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := planOf(m)
		if err != nil {
			t.Fatal(err)
		}
		a.Check("out/model", planText(p))
		if p, err = plan.ForPeer(m.Main, nil); err != nil {
			t.Fatal(err)
		}
		a.Check("out/peer", planText(p))
	})
}

// planText returns the calls and chains of a plan.
func planText(p *plan.Plan) string {
	var b strings.Builder
	for _, s := range p.Steps {
		switch s := s.(type) {
		case *plan.Call:
			fmt.Fprintln(&b, callText(s))
		case *plan.Chain:
			chainText(&b, p, s)
		}
	}
	fmt.Fprintf(&b, "arena %d bytes\n", p.Arena)
	return b.String()
}

func chainText(b *strings.Builder, p *plan.Plan, c *plan.Chain) {
	fmt.Fprintf(b, "chain of %v×%v, %d places {\n", c.Rows, c.Len, c.Places)
	for _, o := range c.Operands {
		how := []string{"along", "single", "each row", "per row"}[o.Kind]
		if o.Kind == plan.PerRow {
			how += fmt.Sprintf(" (each %v, run %v)", o.Each, o.Run)
		}
		if x := p.Var(o.Value); x.Value != o.Value {
			how += ", in the place of " + x.Value.Name
		}
		fmt.Fprintf(b, "  %s: %s\n", o.Name, how)
	}
	for _, s := range c.Calls {
		fmt.Fprintf(b, "  %s\n", callText(s))
	}
	fmt.Fprintln(b, "}")
}

func callText(s *plan.Call) string {
	var args []string
	for _, a := range s.Args {
		switch a := a.(type) {
		case *ir.Value:
			if a != nil {
				args = append(args, a.Name)
			}
		case op.Whole:
			args = append(args, a.Name)
		case op.Kernel:
			args = append(args, string(a))
		}
	}
	return fmt.Sprintf("%s(%s)", s.Kernel, strings.Join(args, ", "))
}
