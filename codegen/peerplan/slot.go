package peerplan

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/codegen/ident"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/partitioner"
)

// Slot is a place for a component, with its names in Go.
type Slot struct {
	*partitioner.Slot
	Component
	Field  string // the field of type peer
	Config string // the field of type Config
}

// addSlots names the components, and the queues of their commands.
func (p *Plan) addSlots(components map[string]Component, names scopes) error {
	configs := ident.NewScope()
	for _, s := range p.Part.Slots {
		c, ok := components[s.Name]
		if !ok {
			return fmt.Errorf("nothing is bound to slot %q", s.Name)
		}
		slot := &Slot{Slot: s, Component: c, Field: names.fields.Local(s.Name), Config: configs.Exported(s.Name)}
		p.Slots, p.slotOf[s.Name] = append(p.Slots, slot), slot
		for len(p.Queues) <= s.Group {
			p.Queues = append(p.Queues, "")
		}
		if q := &p.Queues[s.Group]; *q == "" {
			*q = s.Name
		} else {
			*q += "+" + s.Name
		}
	}
	p.Queues = append(p.Queues, "compute")
	return nil
}

// Slot returns the slot with the given name, or nil.
func (p *Plan) Slot(name string) *Slot { return p.slotOf[name] }

// Kept returns the slots of components with state, in the order in which the engine numbers them.
func (p *Plan) Kept() []*Slot {
	return slices.DeleteFunc(slices.Clone(p.Slots), func(s *Slot) bool { return !s.Keeps })
}

// SlotOf returns the slot of a call, or nil.
func (p *Plan) SlotOf(n *ir.Node) *Slot { return p.slotOf[n.Str(peer.SlotAttr)] }

// QueueOf returns the number of the queue of a command.
func (p *Plan) QueueOf(c *partitioner.Cut) int {
	if c.Slot == nil {
		return len(p.Queues) - 1
	}
	return c.Slot.Group
}

// commanded computes [Plan.Commanded].
func (p *Plan) commanded() (list []int) {
	commands := map[int]bool{} // queues that have commands
	for _, m := range p.Part.Modules {
		for _, c := range m.Cuts {
			if c.Kind == partitioner.Command && c.Slot != nil {
				commands[c.Slot.Group] = true
			}
		}
	}
	gathers := false
	for _, s := range p.Kept() {
		queue := -1
		if commands[s.Group] {
			queue = s.Group
		}
		gathers = gathers || s.Gathers && queue >= 0
		list = append(list, queue)
	}
	if !gathers {
		return nil
	}
	return list
}
