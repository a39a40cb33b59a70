package dsl

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// slot is the recorder's entry for a slot of a module.
type slot struct {
	role    string
	name    string
	bind    Binding
	classes []slotClass // classes of the peers that have it
}

type slotClass struct {
	name string
	pos  pos // of the first call there
}

func (s *slot) usedBy(class string, p pos) {
	if !slices.ContainsFunc(s.classes, func(c slotClass) bool { return c.name == class }) {
		s.classes = append(s.classes, slotClass{class, p})
	}
}

// slotField is a pointer to one of the slot types.
type slotField interface {
	parts() (role string, name *string, bind *Binding, at **slot)
}

var slotFieldType = reflect.TypeFor[slotField]()

// prepare returns a copy of a module with named slots. Slots without names get those of their fields.
func (r *recorder) prepare(m Module, path string) Module {
	v := reflect.ValueOf(m)
	pointer := v.Kind() == reflect.Pointer
	if pointer {
		if v.IsNil() {
			r.fail("the module is a nil %T", m)
			return m
		}
		v = v.Elem()
	}
	c := reflect.New(v.Type())
	c.Elem().Set(v)
	r.nameSlots(c.Elem(), path)
	if pointer {
		return c.Interface().(Module)
	}
	return c.Elem().Interface().(Module)
}

// nameSlots names the slots in a field and its parts.
func (r *recorder) nameSlots(v reflect.Value, path string) {
	if v.Addr().Type().Implements(slotFieldType) {
		r.nameSlot(v.Addr().Interface().(slotField), path)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				r.nameSlots(v.Field(i), path+f.Name)
			} else if reflect.PointerTo(f.Type).Implements(slotFieldType) {
				r.fail("the slot %s of %s is not exported: its name must begin with a capital", f.Name, v.Type())
			}
		}
	case reflect.Slice:
		v.Set(reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, v.Len()), v))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			r.nameSlots(v.Index(i), fmt.Sprintf("%s%d", path, i))
		}
	}
}

func (r *recorder) nameSlot(f slotField, path string) {
	role, name, bind, at := f.parts()
	if *at != nil {
		return
	}
	if *name == "" {
		*name = path
	}
	*at = &slot{role: role, name: *name, bind: *bind}
	r.slots = append(r.slots, *at)
}

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

// within reports whether all calls so far are on peers of the class.
func (s *slot) within(class string) bool {
	return !slices.ContainsFunc(s.classes, func(c slotClass) bool { return c.name != class })
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

// attrs returns attributes from alternating names and values.
func attrs(kv ...any) ir.Attrs {
	var a ir.Attrs
	for i := 0; i < len(kv); i += 2 {
		v := kv[i+1]
		if n, ok := v.(int); ok {
			v = int64(n)
		}
		a.Set(kv[i].(string), v)
	}
	return a
}
