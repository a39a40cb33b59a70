package peerplan

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/partitioner"
)

// addFrames names the frames, their commands and their files.
func (p *Plan) addFrames(names scopes) {
	for i, m := range p.Part.Modules {
		f := &Frame{
			Plan: p, Module: m, Index: i, Type: names.types.Local(m.Name + " frame"),
			at: map[*ir.Value]*Var{}, read: map[*ir.Value]bool{},
		}
		if m.Parent == nil {
			f.File = names.files.Local(m.Name)
		}
		for _, b := range m.Blocks {
			f.Blocks = append(f.Blocks, &Block{Block: b})
		}
		f.addTasks(names)
		f.addSenders()
		p.Frames, p.frameOf[m] = append(p.Frames, f), f
	}
}

func (f *Frame) addTasks(names scopes) {
	for _, c := range f.Module.Cuts {
		if c.Kind != partitioner.Command {
			continue
		}
		t := &Task{Cut: c, Type: names.types.Local(f.Module.Name + " " + f.Plan.CutName(c))}
		f.eachStep(func(s *partitioner.Step) {
			if s.Cut == c {
				t.Step = s
			}
			if s.Fold != nil && (s.Into == c || s.Cut == c) {
				t.Folds = append(t.Folds, s)
			}
		})
		f.Tasks = append(f.Tasks, t)
	}
}

// addSenders places the senders of fills, which the engine stores.
func (f *Frame) addSenders() {
	for _, c := range f.Module.Cuts {
		if c.Sender != nil {
			x := &Var{Value: c.Sender, Place: Sender, Cut: c}
			f.at[c.Sender], f.Rest = x, append(f.Rest, x)
		}
	}
}
