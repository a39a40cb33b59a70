package dsl

import (
	"maps"
	"slices"
)

// needSlots adds to each class the slots that components in its other slots need.
func (r *recorder) needSlots() {
	for again := true; again; {
		again = false
		for _, s := range r.slots {
			for _, field := range slices.Sorted(maps.Keys(s.bind.table.Needs)) {
				for _, c := range s.classes {
					again = r.need(s.bind.table.Needs[field], c) || again
				}
			}
		}
	}
}

// need adds a slot to a class. It reports whether the class did not have it.
func (r *recorder) need(name string, c slotClass) bool {
	has := func(d slotClass) bool { return d.name == c.name }
	var free *slot
	for _, s := range r.slots {
		if s.name == name && slices.ContainsFunc(s.classes, has) {
			return false
		}
		if s.name == name && len(s.classes) == 0 && free == nil {
			free = s
		}
	}
	if free != nil {
		free.usedBy(c.name, c.pos)
	}
	return free != nil // otherwise the partitioner reports what is missing
}

// checkSlots checks that each slot has a component and a unique name in its class.
func (r *recorder) checkSlots() {
	for i, s := range r.slots {
		for _, c := range s.classes {
			if s.bind.isZero() {
				r.failAt(c.pos, "slot %s (%s) of class %s has no component: set its Bind, to dsl.Go(…) of a Go value", s.name, s.role, c.name)
			}
			if s.bind.table.Model != "" && s.role != "model" {
				r.failAt(c.pos, "slot %s is for a %s, and is bound to an ONNX graph", s.name, s.role)
			}
			for _, t := range r.slots[:i] {
				i := slices.IndexFunc(t.classes, func(d slotClass) bool { return d.name == c.name })
				if t.name == s.name && i >= 0 {
					r.failAt(c.pos, "class %s has two slots called %s, of which the other is called at %s: give one a Name", c.name, s.name, t.classes[i].pos.long)
				}
			}
		}
	}
}
