package bind

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/partitioner"
)

// checkNeeds checks that the fields of a component that refer to other slots are pointers to the components
// there.
func (c *checker) checkNeeds(s *partitioner.Slot, t *types.Named) {
	for _, field := range slices.Sorted(maps.Keys(s.Binding.Needs)) {
		other := c.slot(s.Binding.Needs[field])
		if other == nil {
			continue // the partitioner has reported it
		}
		x, err := c.in(other)
		if err != nil {
			continue // reported for that slot
		}
		want := types.NewPointer(x)
		o, _, _ := types.LookupFieldOrMethod(t, true, t.Obj().Pkg(), field)
		v, ok := o.(*types.Var)
		switch {
		case !ok || !v.Exported():
			err = fmt.Errorf("%s has no field %s for the component in slot %q, want\n\t%s %s", typeText(t), field, other.Name, field, typeText(want))
		case !types.AssignableTo(want, v.Type()):
			err = fmt.Errorf("the field %s of %s is a %s, and slot %q has a %s", field, typeText(t), typeText(v.Type()), other.Name, typeText(want))
		default:
			continue
		}
		c.errs = append(c.errs, fmt.Errorf("%sslot %q of %s: %w", c.where(s), s.Name, c.part.Class, err))
	}
}

// checkCommand reports a method that takes its peer but is a command.
func (c *checker) checkCommand(n *ir.Node, s *partitioner.Slot, t *types.Named, name string, m *types.Func) {
	if c.first(m.Signature()) != peerFirst || !c.isCommand(n) {
		return
	}
	c.failf(n, s, "the method %s of %s takes a %s, but must run as a command, because a method of the slot or of one that it shares components with does: nothing but the engine may touch the node",
		name, typeText(t), typeText(m.Signature().Params().At(0).Type()))
}

// isCommand reports whether a node runs as a command.
func (c *checker) isCommand(n *ir.Node) bool {
	for _, m := range c.part.Modules {
		for _, cut := range m.Cuts {
			if cut.Kind == partitioner.Command && cut.Node == n {
				return true
			}
		}
	}
	return false
}

// checkBackend checks that the component in a slot computes graphs.
func (c *checker) checkBackend(n *ir.Node, s *partitioner.Slot) {
	t, err := c.in(s)
	if err != nil {
		return // reported
	}
	backend, err := c.named(pkgModel, "Backend")
	if err != nil {
		c.errs = append(c.errs, err)
		return
	}
	m, wrong := types.MissingMethod(types.NewPointer(t), backend.Underlying().(*types.Interface), true)
	if m == nil {
		return
	}
	want := text(m.Name(), list(m.Signature().Params()), list(m.Signature().Results()))
	if m.Signature().Variadic() {
		want = strings.Replace(want, "[]*tensor", "...*tensor", 1)
	}
	if !wrong {
		c.failf(n, s, "%s has no method %s of a model.Backend, want\n\t%s", typeText(t), m.Name(), want)
		return
	}
	have := lookup(t, m.Name()).Signature()
	c.failf(n, s, "the method %s of %s is\n\t%s\nbut a model.Backend has\n\t%s", m.Name(), typeText(t), text(m.Name(), list(have.Params()), list(have.Results())), want)
}
