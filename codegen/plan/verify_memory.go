package plan

import (
	"maps"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// memory is the simulated content of variables.
type memory struct {
	shared  []*Var // variables in the arena and in shared buffers that have content
	held    map[*Var]*ir.Value
	carried map[*ir.Value]*ir.Value
}

func newMemory(carried map[*ir.Value]*ir.Value) *memory {
	return &memory{held: map[*Var]*ir.Value{}, carried: carried}
}

func (m *memory) clone() *memory {
	return &memory{slices.Clone(m.shared), maps.Clone(m.held), m.carried}
}

// has reports whether x holds v. It matches any value if v is nil or the value of x is unknown.
func (m *memory) has(x *Var, v *ir.Value) bool {
	switch x.Place {
	case Input, Constant, Kept:
		return true
	}
	held, ok := m.held[x]
	return ok && (held == nil || v == nil || held == m.same(v))
}

// write makes x hold v, and discards the content of overlapping variables.
func (m *memory) write(x *Var, v *ir.Value) {
	m.resize(x)
	if x.Place == Arena || x.Place == Slot {
		m.shared = append(m.shared, x)
	}
	m.held[x] = m.same(v)
}

// resize discards the content of x and of overlapping variables.
func (m *memory) resize(x *Var) {
	m.shared = slices.DeleteFunc(m.shared, func(y *Var) bool {
		over := x == y || overlap(x, y)
		if over {
			delete(m.held, y)
		}
		return over
	})
	delete(m.held, x)
}

// keep keeps only the content that both have. A variable with content in both holds either value.
func (m *memory) keep(other *memory) {
	m.shared = slices.DeleteFunc(m.shared, func(x *Var) bool { return !slices.Contains(other.shared, x) })
	for x, v := range m.held {
		if w, ok := other.held[x]; !ok {
			delete(m.held, x)
		} else if v != w {
			m.held[x] = nil
		}
	}
}

// same returns the value with the elements of v, under another shape or after a loop.
func (m *memory) same(v *ir.Value) *ir.Value {
	for v != nil {
		if p := m.carried[v]; p != nil {
			v = p
		} else if v.Def != nil && op.Lookup(v.Def).Alias {
			v = v.Def.In[0]
		} else {
			break
		}
	}
	return v
}

// overlap reports whether the memory of two variables overlaps.
func overlap(x, y *Var) bool {
	switch {
	case x == y || x.Place != y.Place:
		return false
	case x.Place == Arena:
		return x.Off < y.Off+y.bytes() && y.Off < x.Off+x.bytes()
	case x.Place == Slot:
		return x.Off == y.Off && x.Type.Elem == y.Type.Elem
	}
	return false
}
