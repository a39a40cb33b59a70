package peerplan

import (
	"fmt"
	"strings"
)

// Print returns a plan as text: the peer, and for each frame its fields, its commands, other values that its
// steps read, and the actions of blocks after their steps:
//
//	peer server, snapshots 0x5d2c1b0a99887766, 64 bytes of weights
//	  queues average, compute
//	  slot average: parts.Average, opens, keeps
//	  store Hold "last": lastHold
//	  compute compute0: 3 steps, 64 bytes of weights at 0
//
//	  frame serverFrame of server
//	    kept params float32[1000]: given, until blockSendParams
//	    task serverAggregate: cutAggregate, folds server.update
//	    blockSendParams: drops params
func Print(p *Plan) string {
	w := &printer{}
	w.linef(0, "peer %s, snapshots %#016x, %d bytes of weights", p.Part.Class, p.Schema, p.Weights.Len)
	w.linef(1, "queues %s", strings.Join(p.Queues, ", "))
	if p.Commanded != nil {
		w.linef(1, "commanded %v", p.Commanded)
	}
	for _, s := range p.Slots {
		w.linef(1, "slot %s: %s.%s%s", s.Name, s.Package, s.Type, s.abilities())
	}
	for _, s := range p.Stores {
		w.linef(1, "store %s %q: %s", s.Type, s.Name, s.Field)
	}
	for _, c := range p.Computes {
		w.linef(1, "compute %s: %d steps, arena of %d bytes, %d bytes of weights at %d", c.Field, len(c.Plan.Steps), c.Plan.Arena, c.Plan.WeightBytes(), c.Base)
	}
	for _, c := range p.Constants {
		w.linef(1, "constant %s %s: at %d", c.Field, c.Value.Type, c.Off)
	}
	for _, g := range p.Graphs {
		w.linef(1, "graph %d of %s: %d bytes at %d", g.Index, g.Slot, len(g.Model), g.Off)
	}
	for _, x := range p.Wholes {
		w.linef(1, "whole %s %s: one at a time, while it is contributed", x.Field, x.Value.Type)
	}
	for _, f := range p.Frames {
		w.frame(f)
	}
	return w.out.String()
}

type printer struct{ out strings.Builder }

func (w *printer) linef(indent int, format string, args ...any) {
	w.out.WriteString(strings.Repeat("  ", indent))
	fmt.Fprintf(&w.out, format, args...)
	w.out.WriteByte('\n')
}

// abilities lists the interfaces of a component beside its methods.
func (s *Slot) abilities() string {
	text := ""
	for _, x := range []struct {
		has  bool
		what string
	}{{s.Opens, "opens"}, {s.Keeps, "keeps"}, {s.Shaped, "cares for shapes"}, {s.Gathers, "gathers"}} {
		if x.has {
			text += ", " + x.what
		}
	}
	return text
}

func (w *printer) frame(f *Frame) {
	w.linef(0, "")
	w.linef(1, "frame %s of %s", f.Type, f.Module.Name)
	for _, list := range [][]*Var{f.Kept, f.Scratch, f.Rest} {
		for _, x := range list {
			w.linef(2, "%s %s", x.Place, f.varText(x))
		}
	}
	for _, t := range f.Tasks {
		w.linef(2, "task %s: %s%s", t.Type, f.Plan.CutConst(t.Cut), t.foldText())
	}
	for _, b := range f.Blocks {
		if text := f.blockText(b); text != "" {
			w.linef(2, "%s: %s", b.Const, text)
		}
	}
}

// varText describes a value and its memory.
func (f *Frame) varText(x *Var) string {
	switch x.Place {
	case Sender:
		return fmt.Sprintf("%s of %s", f.Plan.ValueName(x.Value), f.Plan.CutConst(x.Cut))
	case Same:
		return fmt.Sprintf("%s: %s", f.Plan.ValueName(x.Value), f.Plan.ValueName(x.Of))
	}
	text := fmt.Sprintf("%s %s", f.nameOf(x), x.Value.Type)
	var notes []string
	if x.Given {
		notes = append(notes, "given")
	}
	if f.Borrows(x.Value) && !x.Given {
		notes = append(notes, "borrowed")
	}
	if x.Stays {
		notes = append(notes, "stays with the host")
	}
	if x.Until != nil {
		notes = append(notes, "until "+f.Blocks[x.Until.Index].Const)
	}
	if notes == nil {
		return text
	}
	return text + ": " + strings.Join(notes, ", ")
}

func (f *Frame) nameOf(x *Var) string {
	if x.IsField() {
		return x.Field
	}
	return f.Plan.ValueName(x.Value)
}

func (t *Task) foldText() string {
	text := ""
	for _, s := range t.Folds {
		text += ", folds " + s.Fold.Name
	}
	return text
}

// blockText describes the actions of a block after its steps, and how it sends.
func (f *Frame) blockText(b *Block) string {
	var parts []string
	for i := range b.Steps {
		if s := &b.Steps[i]; s.Edge != nil && s.Node.In[0] != nil && !s.Edge.Trigger {
			parts = append(parts, fmt.Sprintf("sends %s %s", f.Plan.ValueName(s.Node.In[0]), f.Way(s)))
		}
	}
	for _, x := range b.Tells {
		parts = append(parts, fmt.Sprintf("tells %s the shape of %s", x.Slot.Name, f.Plan.ValueName(x.Value)))
	}
	for _, x := range b.Admits {
		parts = append(parts, fmt.Sprintf("asks %s for the shape of %s", x.Slot.Name, f.Plan.ValueName(x.Value)))
	}
	for _, x := range b.Drops {
		parts = append(parts, "drops "+x.Field)
	}
	return strings.Join(parts, ", ")
}
