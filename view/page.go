package view

import (
	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/partitioner"
)

// Page is all that a page shows.
type Page struct {
	Subjects []*Subject `json:"subjects"` // one, or two that are compared
}

// Subject is one model, training step or program.
type Subject struct {
	Title   string            `json:"title"`
	Graphs  []*Graph          `json:"graphs"`
	Memory  []*Memory         `json:"memory,omitempty"`
	Code    map[string]string `json:"code,omitempty"` // the generated lines of a node of the last stage, by its name
	Program *Program          `json:"program,omitempty"`
	Profile *Profile          `json:"profile,omitempty"`
	Error   string            `json:"error,omitempty"` // why the compilation has ended early
}

// Options say what a subject is compiled to, and what else is known of it.
type Options struct {
	Title string

	// Config is how the module is compiled; Until, Done and Watch of it are not used.
	Config bbgen.Config

	Sizes   map[string]int // of symbols, for the work of nodes; 1 where it says nothing
	Profile *Profile       // nil if nothing was measured

	// Cost is what a round of a program sends; nil: nobody says.
	Cost func(*partitioner.Program) *partitioner.Cost
}

// Make compiles a module, which it rewrites, and collects what happens to it. A module
// that cannot be compiled gives a subject as far as the compilation came, with its
// Error.
func Make(m *ir.Module, opt Options) *Subject {
	s := &Subject{Title: opt.Title, Profile: opt.Profile}
	c := opt.Config
	names := modelNames
	if c.Train != nil {
		names = trainerNames
	}
	w := newWatcher(names, opt.Sizes)
	c.Until, c.Done, c.Watch = "", nil, w.watch
	r, err := bbgen.Compile(m, c)
	s.Graphs = w.graphs
	if err != nil {
		s.Error = err.Error()
		return s
	}
	s.addPlans(r)
	s.Code = codeOf(r.Files)
	if r.Program != nil {
		s.Program = programOf(r.Program, opt.Cost)
	}
	return s
}

// addPlans adds how plans use memory, where there are any.
func (s *Subject) addPlans(r *bbgen.Result) {
	if r.Plan != nil {
		s.Memory = append(s.Memory, memoryOf("model", r.Plan))
	}
	if t := r.Trainer; t != nil {
		s.Memory = append(s.Memory, memoryOf("step", t.Step), memoryOf("evaluation", t.Eval))
		if t.Forward != nil {
			s.Memory = append(s.Memory, memoryOf("forward", t.Forward))
		}
	}
}
