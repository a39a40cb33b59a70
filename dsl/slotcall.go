package dsl

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// slotOf returns the slot of a call. A slot that is no field of a module is identified by its name.
func (g *Graph) slotOf(f slotField) *slot {
	role, name, bind, at := f.parts()
	s := *at
	if s == nil && *name != "" {
		i := slices.IndexFunc(g.r.slots, func(s *slot) bool { return s.name == *name && s.role == role && s.within(g.fn.class) })
		if i < 0 {
			g.r.slots = append(g.r.slots, &slot{role: role, name: *name, bind: *bind})
			i = len(g.r.slots) - 1
		}
		s = g.r.slots[i]
	}
	switch {
	case s == nil:
		g.r.fail("a %s slot that is no exported field of a module needs a Name", role)
	case s.bind.err != nil:
		g.r.fail("slot %s: %v", s.name, s.bind.err)
		s.bind.err = nil
	case ir.Ident(s.name) != s.name:
		g.r.fail("slot %q: want a name of letters, digits and underscores", s.name)
	default:
		return s
	}
	return nil
}

// CallOption is an option of a call on a slot: a [Type] of an output, or [When].
type CallOption interface{ option(c *callOptions) }

type callOptions struct {
	types []Type
	when  []Value
	attrs ir.Attrs
	err   error
}

func (t Type) option(c *callOptions) { c.types = append(c.types, t) }

type optionFunc func(c *callOptions)

func (f optionFunc) option(c *callOptions) { f(c) }

// When makes a call wait for the given values.
func When(triggers ...Value) CallOption {
	return optionFunc(func(c *callOptions) { c.when = append(c.when, triggers...) })
}

// call records a call on a slot, with outputs of the given names.
func (g *Graph) call(f slotField, o *op.Op, names []string, attrs ir.Attrs, opts []CallOption, in ...Value) []Value {
	s := g.slotOf(f)
	c := callOptions{attrs: attrs}
	for _, opt := range opts {
		opt.option(&c)
	}
	if c.err != nil {
		g.r.fail("%s: %v", o.Name, c.err)
	}
	if s == nil || c.err != nil {
		return g.bad(len(names))
	}
	return g.do(step{op: o, attrs: c.attrs, outs: names, types: c.types, slot: s, in: append(in, g.triggers(c.when)...)})
}

// call1 is call for a method with one output.
func (g *Graph) call1(f slotField, o *op.Op, name string, attrs ir.Attrs, opts []CallOption, in ...Value) Value {
	return g.call(f, o, []string{name}, attrs, opts, in...)[0]
}
