package partitioner

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/artifact"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// slots finds the slots of each class and their bindings.
func (c *cutter) slots() {
	c.slotOf = map[*ir.Node]*Slot{}
	used := map[string]bool{}
	for _, k := range c.classes {
		f := &slotFinder{cutter: c, class: k, at: map[slotKey]*Slot{}, used: used}
		for _, n := range k.nodes {
			f.called(n)
		}
		slices.SortFunc(k.part.Slots, func(a, b *Slot) int { return cmp.Compare(a.Name, b.Name) })
		c.group(k)
	}
	for _, kv := range c.m.Meta {
		if artifact.IsBinding(kv.Key) && !used[kv.Key] {
			c.errorf("metadata %q binds a slot that nothing calls", kv.Key)
		}
	}
}

// slotFinder finds the slots of a class.
type slotFinder struct {
	*cutter
	class *class
	at    map[slotKey]*Slot // what was found
	used  map[string]bool   // keys of metadata that bind slots of any class
}

// called adds the slot of a call, and those that come with it.
func (f *slotFinder) called(n *ir.Node) {
	role, ok := strings.CutPrefix(n.Domain, peer.RolePrefix)
	if !ok {
		return
	}
	key := slotKey{f.root[n], n.Str(peer.SlotAttr)}
	if key.slot == "" {
		f.failf(n, "calls a method of the role %s without an attribute %q that names the slot", role, peer.SlotAttr)
		return
	}
	s := f.at[key]
	if s == nil {
		s = f.add(key, role, f.binding(key, n))
	} else if s.Role != role {
		f.failf(n, "slot %q is of the role %s here and of %s elsewhere", s.Name, role, s.Role)
	}
	f.slotOf[n] = s
	f.data(slotKey{key.root, n.Str("data")}, n)
	f.needs(key, n)
}

func (f *slotFinder) add(key slotKey, role string, b *artifact.Binding) *Slot {
	s := &Slot{Name: key.slot, Role: role, Binding: b}
	f.at[key] = s
	f.class.part.Slots = append(f.class.part.Slots, s)
	return s
}

// data adds the slot that call n takes its data from, which may have no other calls.
func (f *slotFinder) data(key slotKey, n *ir.Node) {
	if key.slot != "" && f.at[key] == nil {
		f.add(key, peer.DataRole, f.binding(key, n))
	}
}

// needs adds the slots of the components that the component of a slot holds, which may have no other calls.
func (f *slotFinder) needs(key slotKey, n *ir.Node) {
	b := f.at[key].Binding
	if b == nil {
		return
	}
	for _, field := range slices.Sorted(maps.Keys(b.Needs)) {
		need := slotKey{key.root, b.Needs[field]}
		if f.at[need] != nil {
			continue
		}
		bound := f.binding(need, n)
		if bound == nil {
			f.failf(n, "the field %s of what is in slot %q needs the component in slot %q, which %s does not have", field, key.slot, need.slot, f.class.name)
			continue
		}
		f.add(need, bound.Role, bound)
		f.needs(need, n)
	}
}

// binding returns what the artifact binds to a slot, or nil. Errors are about call n.
func (f *slotFinder) binding(key slotKey, n *ir.Node) *artifact.Binding {
	for _, name := range []string{artifact.Key(f.class.name, key.slot), artifact.Key(key.root, key.slot)} {
		b, err := artifact.Bound(f.m, name)
		if err != nil {
			f.failf(n, "%w", err)
			b = new(artifact.Binding)
		}
		if b != nil {
			f.used[name] = true
			return b
		}
	}
	return nil
}

// group numbers the queues in which a class runs its commands. Slots share a queue if one call uses them
// together, or if one component holds the other.
func (c *cutter) group(k *class) {
	for i, s := range k.part.Slots {
		s.Group = i
	}
	for _, n := range k.nodes {
		data, s := k.dataOf(n), c.slotOf[n]
		if s == nil || data == nil {
			continue
		}
		if data.Role != peer.DataRole {
			c.failf(n, "takes its data from slot %q, which is of the role %s", data.Name, data.Role)
		}
		k.together(s, data)
	}
	for _, s := range k.part.Slots {
		for _, t := range k.part.Slots {
			if s.Binding != nil && slices.Contains(slices.Collect(maps.Values(s.Binding.Needs)), t.Name) {
				k.together(s, t)
			}
		}
	}
	c.number(k.part.Slots)
}

// together merges the queues of two slots.
func (k *class) together(s, t *Slot) {
	from, to := t.Group, s.Group
	for _, x := range k.part.Slots {
		if x.Group == from {
			x.Group = to
		}
	}
}

// dataOf returns the slot that a call takes its data from, or nil if its data are arguments.
func (k *class) dataOf(n *ir.Node) *Slot {
	data := n.Str("data")
	i := slices.IndexFunc(k.part.Slots, func(s *Slot) bool { return data != "" && s.Name == data })
	if i < 0 {
		return nil
	}
	return k.part.Slots[i]
}

// number renumbers the groups as 0, 1, 2 and so on.
func (c *cutter) number(slots []*Slot) {
	nums := map[int]int{}
	for _, s := range slots {
		if _, ok := nums[s.Group]; !ok {
			nums[s.Group] = len(nums)
		}
		s.Group = nums[s.Group]
	}
}
