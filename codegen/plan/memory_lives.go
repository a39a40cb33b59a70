package plan

import "fmt"

// Life is a span of time in which a place holds a value.
type Life struct {
	Name  string `json:"name"` // the first value that the variable holds
	Type  string `json:"type"`
	Place string `json:"place"` // arena, own, or the buffer, as in "slot float32 0"
	Off   int    `json:"off"`   // byte offset in the arena
	Bytes int    `json:"bytes"` // 0 if known only at run time
	From  int    `json:"from"`  // the first step, as [Memory] counts them
	To    int    `json:"to"`    // the last step
}

// Lives returns the lives of all variables that have a place in the context, in the order of their
// definition.
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

// placeName returns [Life.Place], or "" for places of another kind.
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
