package view

import (
	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/partitioner"
)

// Page is the content of a page.
type Page struct {
	Subjects []*Subject `json:"subjects"` // one, or two to compare
}

// Subject is one model, training step or program.
type Subject struct {
	Title   string            `json:"title"`
	Graphs  []*Graph          `json:"graphs"`
	Memory  []*Memory         `json:"memory,omitempty"`
	Code    map[string]string `json:"code,omitempty"` // generated lines of the last stage, by the name of the node
	Program *Program          `json:"program,omitempty"`
	Profile *Profile          `json:"profile,omitempty"`
	Error   string            `json:"error,omitempty"` // the reason why the compilation failed
}

// Options configure a subject.
type Options struct {
	Title string

	// Config configures the compilation; its fields Until, Done and Watch are ignored.
	Config bbgen.Config

	Sizes   map[string]int // of symbols, for the work of nodes; the default is 1
	Profile *Profile       // measurements, or nil

	// Cost, if not nil, estimates the traffic of one round of a program.
	Cost func(*partitioner.Program) *partitioner.Cost
}

// Make compiles a module, which it rewrites, and records its stages. If the compilation fails, the subject
// has the stages before the failure, and its Error.
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

// addPlans adds the use of memory by plans, if there are any.
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
