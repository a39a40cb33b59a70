package plan

import (
	"cmp"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// memory is the simulated content of variables.
type memory struct {
	held    map[*Var]*ir.Value
	carried map[*ir.Value]*ir.Value
	arena   []*Var          // the variables there that have content; no two overlap, and they are sorted by offset
	slots   map[buffer]*Var // and those in shared buffers

	undo []change // what happened in the innermost branch, after what happened in those around it before
	ifs  int      // number of branches around the step
}

// buffer is a shared buffer.
type buffer struct {
	elem   tensor.DType
	number int
}

// change is the content of a variable before it changed.
type change struct {
	*Var
	held *ir.Value
	had  bool
}

func newMemory(carried map[*ir.Value]*ir.Value) *memory {
	return &memory{held: map[*Var]*ir.Value{}, slots: map[buffer]*Var{}, carried: carried}
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
	m.set(x, m.same(v), true)
}

// resize discards the content of x and of overlapping variables.
func (m *memory) resize(x *Var) {
	from, to := m.overlapping(x)
	for _, y := range slices.Clone(m.arena[from:to]) {
		m.set(y, nil, false)
	}
	if y := m.slots[buffer{x.Type.Elem, x.Off}]; x.Place == Slot && y != nil {
		m.set(y, nil, false)
	}
	m.set(x, nil, false)
}

// overlapping returns the range of variables with content in the arena that overlap with x.
func (m *memory) overlapping(x *Var) (from, to int) {
	if x.Place != Arena {
		return 0, 0
	}
	from, _ = slices.BinarySearchFunc(m.arena, x.Off+1, func(y *Var, off int) int { return cmp.Compare(y.Off+y.bytes(), off) })
	for to = from; to < len(m.arena) && m.arena[to].Off < x.Off+x.bytes(); to++ {
	}
	return from, to
}

// set gives x a content, which is v, or none. Nothing overlaps with x.
func (m *memory) set(x *Var, v *ir.Value, has bool) {
	old, had := m.held[x]
	if m.ifs > 0 {
		m.undo = append(m.undo, change{x, old, had})
	}
	if has {
		m.held[x] = v
	} else {
		delete(m.held, x)
	}
	if has != had {
		m.list(x, has)
	}
}

// list adds a variable to those with content, or removes it.
func (m *memory) list(x *Var, has bool) {
	b := buffer{x.Type.Elem, x.Off}
	from, to := m.overlapping(x)
	switch {
	case x.Place == Arena && x.bytes() > 0 && has:
		m.arena = slices.Insert(m.arena, from, x)
	case x.Place == Arena && x.bytes() > 0:
		m.arena = slices.Delete(m.arena, from, to)
	case x.Place == Slot && has:
		m.slots[b] = x
	case x.Place == Slot:
		delete(m.slots, b)
	}
}

// either simulates both of two branches. Afterwards there is only the content that both have. A variable with content in
// both holds either value.
func (m *memory) either(then, other func() error) error {
	m.ifs++
	begin := len(m.undo)
	if err := then(); err != nil {
		return err
	}
	changed := m.revert(begin)
	if err := other(); err != nil {
		return err
	}
	for _, c := range m.undo[begin:] { // what only the other branch has changed is still as before for the first one
		if _, ok := changed[c.Var]; !ok {
			changed[c.Var] = c
		}
	}
	for x, then := range changed {
		if v, ok := m.held[x]; ok && !then.had {
			m.set(x, nil, false)
		} else if ok && v != then.held {
			m.set(x, nil, true)
		}
	}
	m.ifs--
	if m.ifs == 0 {
		m.undo = nil
	}
	return nil
}

// revert takes changes back, and returns what the variables then held.
func (m *memory) revert(begin int) map[*Var]change {
	was := map[*Var]change{}
	for _, c := range slices.Backward(slices.Clone(m.undo[begin:])) {
		if _, ok := was[c.Var]; !ok {
			held, had := m.held[c.Var]
			was[c.Var] = change{c.Var, held, had}
		}
		m.set(c.Var, c.held, c.had)
	}
	m.undo = m.undo[:begin]
	return was
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
