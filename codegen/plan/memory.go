package plan

import (
	"cmp"
	"slices"

	"github.com/bbgen/bbgen/ir"
)

// Memory reports where the values of a plan are stored, and the use of the arena.
type Memory struct {
	Arena  int     `json:"arena_bytes"` // the size of the arena
	Steps  int     `json:"steps"`       // number of steps of the plan; repeated steps count each time
	Peak   Peak    `json:"peak"`
	Places []Total `json:"places"`
}

// Peak is the step at which most of the arena is in use. Its Bytes may be less than the arena, which may have
// gaps.
type Peak struct {
	Step  int    `json:"step"` // counted from 1; 0 if the arena is empty
	Node  string `json:"node"` // the node of the step
	Bytes int    `json:"bytes"`
	Live  []Held `json:"live"` // the variables in use, by decreasing size
}

// Held is a variable in the arena, with the name of the first value that it holds.
type Held struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Bytes int    `json:"bytes"`
	From  int    `json:"from"` // first step of the life that includes the peak
	To    int    `json:"to"`   // last step
}

// Total is the sum over one kind of place.
type Total struct {
	Place   string `json:"place"`
	Values  int    `json:"values"`
	Buffers int    `json:"buffers,omitempty"` // number of buffers that grow at run time
	Bytes   int    `json:"bytes"`             // bytes that are known before the run
}

// Memory reports the memory of the plan.
func (p *Plan) Memory() *Memory {
	at := p.moments()
	last := at[len(at)-1]
	m := &Memory{Arena: p.Arena, Steps: last.step}
	used := make([]int, len(at)+1) // the bytes that begin to be used at each position, less those that no longer are
	for _, x := range p.Vars {
		if x.Place != Arena {
			continue
		}
		for _, l := range x.lives {
			used[l.from] += x.bytes()
			used[min(l.to, len(at)-1)+1] -= x.bytes()
		}
	}
	peak := 0
	n := 0
	for i := range at {
		if n += used[i]; n > m.Peak.Bytes {
			peak, m.Peak.Bytes = i, n
		}
	}
	m.Peak.Step, m.Peak.Node, m.Peak.Live = at[peak].step, at[peak].node, p.heldAt(peak, at)
	m.Places = p.totals()
	return m
}

// heldAt returns the content of the arena at a position.
func (p *Plan) heldAt(pos int, at []moment) []Held {
	live := []Held{}
	for _, x := range p.Vars {
		if x.Place != Arena {
			continue
		}
		for _, l := range x.lives {
			if l.from <= pos && pos <= l.to {
				to := min(l.to, len(at)-1)
				live = append(live, Held{x.Value.Name, x.Type.String(), x.bytes(), at[l.from].step, at[to].step})
			}
		}
	}
	slices.SortStableFunc(live, func(a, b Held) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return live
}

// totals adds up each kind of place that has values.
func (p *Plan) totals() []Total {
	states, _ := p.StateBytes()
	all := []Total{
		{Place: "arena", Bytes: p.Arena},
		{Place: "slot"},
		{Place: "own"},
		{Place: "constant", Values: len(p.Weights), Bytes: p.WeightBytes()},
		{Place: "state", Values: len(p.States), Bytes: states},
		{Place: "input", Values: len(p.Inputs)},
		{Place: "output", Values: len(p.Outputs)},
	}
	for _, x := range p.Vars {
		switch x.Place {
		case Arena, Slot, Own:
			all[x.Place].Values++
		}
	}
	for _, n := range p.Slots {
		all[Slot].Buffers += n
	}
	all[Own].Buffers = all[Own].Values
	return slices.DeleteFunc(all, func(t Total) bool { return t.Values == 0 })
}

// moment describes a position in the plan for people: the number of steps that have begun, and the node of
// the last one. Making room for a value is part of the following step.
type moment struct {
	step int
	node string
}

func (p *Plan) moments() []moment {
	at := []moment{{}}
	step, room := 0, 0 // room is the number of positions that belong to the next step
	each(p.Steps, func(s Step) {
		if _, ok := s.(*Grow); ok {
			room++
			at = append(at, moment{})
			return
		}
		if s.order() == inlined { // its steps count
			at = append(at, moment{step, ""})
			return
		}
		step++
		at = append(at, moment{step, nameOf(s.node())})
		for i := range room {
			at[len(at)-2-i] = at[len(at)-1]
		}
		room = 0
	}, func(Step) { at = append(at, moment{step, ""}) })
	return at
}

// nameOf returns the name of a step's node, or "" if it has none.
func nameOf(n *ir.Node) string {
	if n == nil {
		return ""
	}
	return n.String()
}
