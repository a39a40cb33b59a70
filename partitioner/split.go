package partitioner

import (
	"cmp"
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/ir/target"
)

// SplitOptions are the options of [Split].
type SplitOptions struct {
	Stages int
	Names  []string       // of the stages' classes; the default is stage0, stage1 and so on
	Sizes  map[string]int // assumed values of symbols; the default is that of the target

	// PeerMemory limits the bytes of weights and values of a stage; 0: no limit.
	PeerMemory int64

	// Target is the machine of the peers; nil: that of the pass, or [target.Default].
	Target *target.Target

	// The performance of a peer and its connection; 0: that of the target.
	Rate      float64 // arithmetic operations per second
	Memory    float64 // bytes of weights read per second
	Bandwidth float64 // bytes per second from one stage to the next
}

// Stages is the result of [Split].
type Stages struct {
	Stages  []Stage
	Assumed map[string]int // the assumed values of symbols
}

// Stage is a part of a model that one class of peers runs.
type Stage struct {
	Class    string  `json:"class"`
	Nodes    int     `json:"nodes"`
	FLOPs    float64 `json:"flops"`
	Weights  int64   `json:"weight_bytes"`
	Arena    int64   `json:"arena_bytes"` // of the values that live at the same time, at most
	BytesIn  int64   `json:"bytes_in"`    // received from other stages in a run
	BytesOut int64   `json:"bytes_out"`   // sent to other stages in a run
}

// SplitPass returns [Split] as a pass, which calls told with the result.
func SplitPass(opt SplitOptions, told func(*Stages)) *pass.Pass {
	run := func(c *pass.Context, m *ir.Module) error {
		opt := opt
		opt.Target = cmp.Or(opt.Target, c.Target)
		s, err := Split(m, opt)
		if err == nil {
			told(s)
		}
		return err
	}
	return &pass.Pass{Name: "split", Run: run, After: []*pass.Pass{pass.Early}}
}

// Split cuts a plain model, after all passes, into consecutive stages. It assigns a class to each node, and
// sends values that a later stage reads; [Make] then cuts m like any other program. The host passes the
// inputs to the first stage; each stage returns the outputs that it computes to its host.
//
// The slowest part of a pipeline determines its speed. Among all cuts of the nodes' order, Split first
// minimizes the time of the slowest stage or edge, then the time of the slowest stage, and then, within a few
// percent, the traffic.
func Split(m *ir.Module, opt SplitOptions) (*Stages, error) {
	opt = opt.withDefaults()
	if err := opt.check(m); err != nil {
		return nil, err
	}
	s := newSplitter(m, opt)
	ends := s.best()
	if ends == nil {
		return nil, fmt.Errorf("%s: it cannot be cut into %d stages: %s", source(m), opt.Stages, s.why())
	}
	s.assign(ends)
	out := s.table()
	s.send()
	return out, nil
}

// check returns an error if a model cannot be cut into so many stages.
func (o SplitOptions) check(m *ir.Module) error {
	nodes := m.Main.Body.Nodes
	if o.Stages < 2 {
		return fmt.Errorf("%s: %d stages, want at least 2", source(m), o.Stages)
	}
	for _, n := range nodes {
		if op.PeerKindOf(n) != 0 {
			return fmt.Errorf("%s: want a plain model: %s is assigned to a peer already", source(m), n)
		}
	}
	if o.Stages > len(nodes) {
		return fmt.Errorf("%s: %d stages of a model of %d operators, want at most one each", source(m), o.Stages, len(nodes))
	}
	for i, name := range o.Names {
		for _, other := range o.Names[:i] {
			if name == other {
				return fmt.Errorf("%s: two stages are called %q", source(m), name)
			}
		}
	}
	return nil
}

func (o SplitOptions) withDefaults() SplitOptions {
	t := target.Or(o.Target)
	o.Target = t
	o.Rate = cmp.Or(o.Rate, t.Rate())
	o.Memory = cmp.Or(o.Memory, t.Peer.Memory)
	o.Bandwidth = cmp.Or(o.Bandwidth, t.Peer.Bandwidth)
	return o
}
