package dsl

import (
	"fmt"
	"reflect"
	"slices"
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

// within reports whether all calls so far are on peers of the class.
func (s *slot) within(class string) bool {
	return !slices.ContainsFunc(s.classes, func(c slotClass) bool { return c.name != class })
}
