package plan

import "fmt"

// Life is a time in which a place that the run provides holds a value.
type Life struct {
	Name  string `json:"name"` // of the first value that the variable holds
	Type  string `json:"type"`
	Place string `json:"place"` // arena, own, or which buffer, as in "slot float32 0"
	Off   int    `json:"off"`   // byte offset in the arena
	Bytes int    `json:"bytes"` // 0 where only a run knows
	From  int    `json:"from"`  // the first step, as [Memory] counts them
	To    int    `json:"to"`    // and the last one
}

// Lives are those of all variables that the run provides a place for, in the order
// of their definition.
func (p *Plan) Lives() []Life {
	at := p.moments()
	last := len(at) - 1
	out := []Life{}
	for _, x := range p.Vars {
		name := x.placeName()
		if name == "" {
			continue
		}
		l := Life{Name: x.Value.Name, Type: x.Type.String(), Place: name}
		if x.Place == Arena {
			l.Off, l.Bytes = x.Off, x.bytes()
		}
		for _, s := range x.lives {
			l.From, l.To = at[min(s.from, last)].step, at[min(s.to, last)].step
			out = append(out, l)
		}
	}
	return out
}

// placeName is [Life.Place], "" where the variable has a place of another kind.
func (x *Var) placeName() string {
	switch x.Place {
	case Arena:
		return "arena"
	case Slot:
		return fmt.Sprintf("slot %s %d", x.Type.Elem, x.Off)
	case Own:
		return "own"
	}
	return ""
}
