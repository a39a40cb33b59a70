package plan

import (
	"cmp"
	"slices"
)

// Memory says where the values of a plan live and what the arena is needed for.
type Memory struct {
	Arena  int     `json:"arena_bytes"` // the size of the arena
	Steps  int     `json:"steps"`       // how many the plan has; what is repeated counts each time
	Peak   Peak    `json:"peak"`
	Places []Total `json:"places"`
}

// Peak is the step at which most of the arena is in use. Its Bytes are less
// than the arena where values that live at different times do not fill the
// same gaps.
type Peak struct {
	Step  int    `json:"step"` // counted from 1; 0 if the arena is empty
	Node  string `json:"node"` // the node that the step is a part of
	Bytes int    `json:"bytes"`
	Live  []Held `json:"live"` // what is in use then, the largest first
}

// Held is a variable in the arena. It is named after the first value that it
// holds.
type Held struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Bytes int    `json:"bytes"`
	From  int    `json:"from"` // the first step of the life that the peak falls into
	To    int    `json:"to"`   // and the last one
}

// Total is what lives in one kind of place.
type Total struct {
	Place   string `json:"place"`
	Values  int    `json:"values"`
	Buffers int    `json:"buffers,omitempty"` // those of places that grow when the sizes are known
	Bytes   int    `json:"bytes"`             // those that are known before the run
}

// Memory reports what the plan keeps where.
func (p *Plan) Memory() *Memory {
	at := p.moments()
	last := at[len(at)-1]
	m := &Memory{Arena: p.Arena, Steps: last.step}
	used := make([]int, len(at))
	for _, x := range p.Vars {
		if x.Place != Arena {
			continue
		}
		for _, l := range x.lives {
			for i := l.from; i <= min(l.to, len(at)-1); i++ {
				used[i] += x.bytes()
			}
		}
	}
	peak := 0
	for i, n := range used {
		if n > m.Peak.Bytes {
			peak, m.Peak.Bytes = i, n
		}
	}
	m.Peak.Step, m.Peak.Node, m.Peak.Live = at[peak].step, at[peak].node, p.heldAt(peak, at)
	m.Places = p.totals()
	return m
}

// moment is what a position in the plan, as number counts them, is for people:
// how many steps have begun then, and the node that the last one belongs to. To
// make room for a value is a part of the step that follows.
type moment struct {
	step int
	node string
}

func (p *Plan) moments() []moment {
	at := []moment{{}}
	step, room := 0, 0 // room is how many positions wait for the step that they belong to
	each(p.Steps, func(s Step) {
		switch s.(type) {
		case *Grow:
			room++
			at = append(at, moment{})
			return
		case *Rolled: // its steps count
			at = append(at, moment{step, ""})
			return
		}
		step++
		at = append(at, moment{step, nodeOf(s)})
		for i := range room {
			at[len(at)-2-i] = at[len(at)-1]
		}
		room = 0
	}, func(Step) { at = append(at, moment{step, ""}) })
	return at
}

// nodeOf names the node that a step is a part of, "" for one that belongs to none.
func nodeOf(s Step) string {
	switch s := s.(type) {
	case *Call:
		return s.Node.String()
	case *Chain:
		return s.Node().String()
	case *If:
		return s.Node.String()
	case *Loop:
		return s.Node.String()
	case *Scan:
		return s.Node.String()
	}
	return ""
}

// heldAt is what the arena holds at a position.
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
