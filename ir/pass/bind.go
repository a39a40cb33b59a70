package pass

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/ir"
)

// Bind fixes symbolic sizes of the inputs. If no input has a given name, the error lists the existing names.
func Bind(m *ir.Module, sizes map[string]int) error {
	if len(sizes) == 0 {
		return nil
	}
	have := map[string]bool{}
	for _, p := range m.Main.Body.Params {
		for _, d := range p.Type.Shape {
			d.Syms(func(s string) { have[s] = true })
		}
	}
	env := map[string]ir.Dim{}
	for _, s := range slices.Sorted(maps.Keys(sizes)) {
		if !have[s] {
			return fmt.Errorf("%s: no input has a dimension %q; there are: %s", m.File, s, strings.Join(slices.Sorted(maps.Keys(have)), ", "))
		}
		if sizes[s] < 0 {
			return fmt.Errorf("%s: dimension %q cannot be %d, want 0 or more", m.File, s, sizes[s])
		}
		env[s] = ir.C(sizes[s])
	}
	m.Main.Body.Values(func(v *ir.Value) {
		for t := &v.Type; t != nil; t = t.Of {
			for i, d := range t.Shape {
				t.Shape[i] = d.Subst(env)
			}
		}
	})
	return nil
}
