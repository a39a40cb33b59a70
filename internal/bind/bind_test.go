package bind_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/bind"
	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/partitioner"
)

// TestBind shows what is said of programs and the types of package
// testdata/parts that they are bound to: what is wrong with them or, if nothing
// is, how code uses them.
func TestBind(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, a *golden.Archive) {
		m, err := ir.Parse(a.Name, a.Get("in.ir"))
		if err == nil {
			err = pass.Run(m, pass.Pipeline, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		list, err := bound(m)
		if err != nil {
			a.Check("out/error", err.Error())
			return
		}
		a.Check("out/components", list)
	})
}

// bound lists the components of a program.
func bound(m *ir.Module) (string, error) {
	types, err := bind.Load(m, ".")
	if err != nil {
		return "", err
	}
	prog, err := partitioner.Make(m, partitioner.Options{Command: types.Command})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, p := range prog.Parts {
		list, err := types.Components(p, func(slot string) string { return "example.com/peer/" + slot })
		if err != nil {
			return "", err
		}
		var names []string
		for name := range list {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			c := list[name]
			fmt.Fprintf(&b, "%s.%s: %s.%s %v opens %v keeps %v needs %v\n  %+v\n", p.Class, name, c.Package, c.Type, c.Elems, c.Opens, c.Keeps, c.Needs, c.Value)
			fmt.Fprintf(&b, "  %+v\n", c.Methods)
		}
	}
	return b.String(), nil
}
