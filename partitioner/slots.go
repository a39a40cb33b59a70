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
		at := map[slotKey]*Slot{}
		for _, n := range k.nodes {
			role, ok := strings.CutPrefix(n.Domain, peer.RolePrefix)
			if !ok {
				continue
			}
			key := slotKey{c.root[n], n.Str(peer.SlotAttr)}
			s := at[key]
			switch {
			case key.slot == "":
				c.failf(n, "calls a method of the role %s without an attribute %q that names the slot", role, peer.SlotAttr)
				continue
			case s == nil:
				s = &Slot{Name: key.slot, Role: role, Binding: c.binding(k.name, key, n, used)}
				at[key] = s
				k.part.Slots = append(k.part.Slots, s)
			case s.Role != role:
				c.failf(n, "slot %q is of the role %s here and of %s elsewhere", s.Name, role, s.Role)
			}
			c.slotOf[n] = s
			c.data(k, at, slotKey{key.root, n.Str("data")}, n, used)
			c.needs(k, at, key, n, used)
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

// data adds the slot that a call takes its data from, which may have no other calls.
func (c *cutter) data(k *class, at map[slotKey]*Slot, key slotKey, n *ir.Node, used map[string]bool) {
	if key.slot == "" || at[key] != nil {
		return
	}
	at[key] = &Slot{Name: key.slot, Role: "data_source", Binding: c.binding(k.name, key, n, used)}
	k.part.Slots = append(k.part.Slots, at[key])
}

// needs adds the slots of the components that the component of a slot holds, which may have no other calls.
func (c *cutter) needs(k *class, at map[slotKey]*Slot, key slotKey, n *ir.Node, used map[string]bool) {
	b := at[key].Binding
	if b == nil {
		return
	}
	for _, field := range slices.Sorted(maps.Keys(b.Needs)) {
		need := slotKey{key.root, b.Needs[field]}
		if at[need] != nil {
			continue
		}
		bound := c.binding(k.name, need, n, used)
		if bound == nil {
			c.failf(n, "the field %s of what is in slot %q needs the component in slot %q, which %s does not have", field, key.slot, need.slot, k.name)
			continue
		}
		at[need] = &Slot{Name: need.slot, Role: bound.Role, Binding: bound}
		k.part.Slots = append(k.part.Slots, at[need])
		c.needs(k, at, need, n, used)
	}
}

// binding returns what the artifact binds to a slot, or nil.
func (c *cutter) binding(class string, key slotKey, n *ir.Node, used map[string]bool) *artifact.Binding {
	for _, name := range []string{artifact.Key(class, key.slot), artifact.Key(key.root, key.slot)} {
		b, err := artifact.Bound(c.m, name)
		if err != nil {
			c.failf(n, "%w", err)
			b = new(artifact.Binding)
		}
		if b != nil {
			used[name] = true
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
		if data.Role != "data_source" {
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
