package partitioner

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/ir/target"
)

// SplitOptions say how a plain model is cut into stages.
type SplitOptions struct {
	Stages int
	Names  []string       // of the stages' classes; stage0, stage1 and so on where there are too few
	Sizes  map[string]int // what symbols are taken to be; [target.FreeSize] where it says nothing

	// PeerMemory is how many bytes of weights and values a stage may have; 0: any
	// number.
	PeerMemory int64

	// What a peer and the way to the next one do. 0: as [target.Stage] does.
	Rate      float64 // arithmetic operations a second
	Memory    float64 // bytes a second that weights are read at
	Bandwidth float64 // bytes a second from one stage to the next
}

// Stages is how a model was cut.
type Stages struct {
	Stages  []Stage
	Assumed map[string]int // the sizes that symbols were taken to have
}

// Stage is a part of a model that one class of peers runs.
type Stage struct {
	Class    string
	Nodes    int
	FLOPs    float64
	Weights  int64 // bytes
	Arena    int64 // bytes of values that live at the same time, at most
	BytesIn  int64 // that come from other stages in a run
	BytesOut int64 // that go to other stages in a run
}

// SplitPass is [Split] as a pass; told is given the stages.
func SplitPass(opt SplitOptions, told func(*Stages)) *pass.Pass {
	run := func(_ *pass.Context, m *ir.Module) error {
		s, err := Split(m, opt)
		if err == nil {
			told(s)
		}
		return err
	}
	return &pass.Pass{Name: "split", Run: run, After: []*pass.Pass{pass.Early}}
}

// Split cuts a plain model, which all passes have been through, into stages that
// follow each other. It gives each node a class, and sends what a stage computes
// and a later one reads; [Make] then cuts m as any program. The host gives inputs
// to the first stage; each stage gives the host the outputs that it computes.
//
// A pipeline is as fast as its slowest part. Of all cuts of the nodes' order, it
// takes one whose slowest stage or edge takes the least time, then one whose
// slowest stage does, give or take a few percent, and of those the one that sends
// least.
func Split(m *ir.Module, opt SplitOptions) (*Stages, error) {
	opt = opt.withDefaults()
	nodes := m.Main.Body.Nodes
	if opt.Stages < 2 {
		return nil, fmt.Errorf("%s: %d stages, want at least 2", m.Name, opt.Stages)
	}
	for _, n := range nodes {
		if kind(n) != 0 {
			return nil, fmt.Errorf("%s: it is no plain model: %s says itself which peer it runs on", m.Name, n)
		}
	}
	if opt.Stages > len(nodes) {
		return nil, fmt.Errorf("%s: %d stages of a model of %d operators, want at most one each", m.Name, opt.Stages, len(nodes))
	}
	for i, name := range opt.Names {
		for _, other := range opt.Names[:i] {
			if name == other {
				return nil, fmt.Errorf("%s: two stages are called %q", m.Name, name)
			}
		}
	}
	s := newSplitter(m, opt)
	ends := s.best()
	if ends == nil {
		return nil, fmt.Errorf("%s: it cannot be cut into %d stages: %s", m.Name, opt.Stages, s.why())
	}
	s.assign(ends)
	out := s.table()
	s.send()
	return out, nil
}

func (o SplitOptions) withDefaults() SplitOptions {
	set := func(v *float64, def float64) {
		if *v == 0 {
			*v = def
		}
	}
	set(&o.Rate, target.Stage.Rate)
	set(&o.Memory, target.Stage.Memory)
	set(&o.Bandwidth, target.Stage.Bandwidth)
	return o
}

func (o SplitOptions) name(stage int) string {
	if stage < len(o.Names) {
		return o.Names[stage]
	}
	return fmt.Sprintf("stage%d", stage)
}
