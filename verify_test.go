package bbgen_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/partitioner"
)

// TestVerified: a graph that is not well-formed is a mistake of the caller at the beginning, and later a fault that is found
// after the stage that has left it.
func TestVerified(t *testing.T) {
	fault := func(m *ir.Module) { m.Main.Body.Nodes[0].In[0] = &ir.Value{Name: "undefined"} }
	for name, c := range map[string]struct {
		before func(m *ir.Module)
		config func(m *ir.Module) bbgen.Config
		want   string
	}{
		"given": {fault, func(*ir.Module) bbgen.Config { return bbgen.Config{} }, `in.ir: func @main: node "a" (Exp): input 0`},
		"cut": {func(*ir.Module) {}, func(m *ir.Module) bbgen.Config {
			return bbgen.Config{Cut: &bbgen.Cut{Unbound: true, Split: &partitioner.SplitOptions{Stages: 2}, Check: func(*partitioner.Program) error {
				fault(m)
				return nil
			}}}
		}, `BUG: after stage partition: func @main: node`},
	} {
		m, err := ir.Parse("in.ir", "module \"m\"\nfile \"in.ir\"\nopset 20\n\nfunc @main(%x: float32[n,4]) -> (%y) {\n  %a = Exp(%x)\n  %y = Tanh(%a)\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		c.before(m)
		if got := compiled(m, c.config(m)); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// compiled returns the error or the panic of a compilation.
func compiled(m *ir.Module, c bbgen.Config) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprint(r)
		}
	}()
	_, err := bbgen.Compile(m, c)
	return fmt.Sprint(err)
}
