// Package peerplan decides what the peers of one class keep and where: the fields of frames, the owner of
// each value's memory, the time for which a frame needs it, the stores, the constants, and what a snapshot
// depends on. Package codegen prints the result as Go.
//
// [Make] fills the tables of a [Plan], each in a file of its name: constants and stores, the fields of frames
// (fields, overwritten, whole), how long fields are needed (life), where other values are (var, rest), in
// which way values are sent (way), the commands and components (slot, component, compute, graph), and the hash
// of what a snapshot holds (snapshot). names.go and consts.go choose identifiers. print.go is the text form of
// a plan, in which tests are written.
package peerplan

import (
	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/partitioner"
)

// Plan describes what a peer of one class keeps.
type Plan struct {
	Part *partitioner.Partition

	Slots     []*Slot
	Queues    []string // the serial queues of commands; the computing queue is the last
	Commanded []int    // by component with state: the queue of its commands, or -1; nil if no command calls one that gathers
	Stores    []*Store
	Frames    []*Frame // of the partition's modules, in their order
	Computes  []*Compute
	Constants []*Constant
	Graphs    []*Graph
	Wholes    []*Whole
	Weights   plan.Content // of weights.bin
	Schema    uint64       // a hash of everything that a snapshot depends on

	slotOf     map[string]*Slot // by the slot's name
	frameOf    map[*partitioner.Module]*Frame
	computeOf  map[*partitioner.Compute]*Compute
	constantOf map[*ir.Value]*Constant
	edgeConst  map[*partitioner.Edge]string
	cutConst   map[*partitioner.Cut]string
}

// FrameOf returns the frame of a module.
func (p *Plan) FrameOf(m *partitioner.Module) *Frame { return p.frameOf[m] }

// Receiver returns the frame and the cut point that receive the fills of an edge. They are nil if peers of
// this class only send on the edge.
func (p *Plan) Receiver(x *partitioner.Edge) (*Frame, *partitioner.Cut) {
	if x.To != p.Part.Class {
		return nil, nil
	}
	for _, f := range p.Frames {
		for _, c := range f.Module.Cuts {
			if c.Edge == x && (c.Kind == partitioner.Fill || c.Kind == partitioner.Together) {
				return f, c
			}
		}
	}
	return nil, nil
}

// eachStep calls f for all steps of the partition, in order.
func (p *Plan) eachStep(f func(s *partitioner.Step)) {
	for _, m := range p.Part.Modules {
		eachStep(m, func(_ *partitioner.Block, s *partitioner.Step) { f(s) })
	}
}

// eachStep calls f for all steps of a module, in order.
func eachStep(m *partitioner.Module, f func(b *partitioner.Block, s *partitioner.Step)) {
	for _, b := range m.Blocks {
		for i := range b.Steps {
			f(b, &b.Steps[i])
		}
	}
}
