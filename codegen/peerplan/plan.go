// Package peerplan decides what the peers of one class keep and where: the fields of frames, the owner of
// each value's memory, the time for which a frame needs it, the stores, the constants, and what a snapshot
// depends on. Package codegen prints the result as Go.
package peerplan

import (
	"fmt"

	"github.com/bbgen/bbgen/codegen/ident"
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
	Weights   []byte // the content of weights.bin
	Schema    uint64 // a hash of everything that a snapshot depends on

	slotOf     map[string]*Slot // by the slot's name
	frameOf    map[*partitioner.Module]*Frame
	computeOf  map[*partitioner.Compute]*Compute
	constantOf map[*ir.Value]*Constant
	edgeConst  map[*partitioner.Edge]string
	cutConst   map[*partitioner.Cut]string
}

// scopes are the identifiers in use in a package: the fields of type peer, the types and constants, and the
// names of files.
type scopes struct{ fields, types, files *ident.Scope }

// Make plans what the peers of a partition keep. The components are given by the names of their slots.
func Make(part *partitioner.Partition, components map[string]Component) (*Plan, error) {
	p := &Plan{
		Part: part, slotOf: map[string]*Slot{}, frameOf: map[*partitioner.Module]*Frame{},
		computeOf: map[*partitioner.Compute]*Compute{}, constantOf: map[*ir.Value]*Constant{},
	}
	if err := p.make(components); err != nil {
		return nil, fmt.Errorf("partition %s: %w", part.Class, err)
	}
	return p, nil
}

func (p *Plan) make(components map[string]Component) error {
	names := scopes{
		fields: ident.NewScope("env", "consts"),
		types:  ident.NewScope("Config", "DefaultConfig", "Partition", "Install", "Default", "Fingerprint", "peer", "edges", "failing", "weightsFile", "weightBytes"),
		files:  ident.NewScope("partition", "weights", "failing"),
	}
	if err := p.addSlots(components, names); err != nil {
		return err
	}
	p.addStores(names)
	p.addFrames(names)
	if err := p.addComputes(names); err != nil {
		return err
	}
	p.addConsts(names)
	for _, f := range p.Frames {
		f.collect(names)
		f.nameFields()
		if err := f.check(); err != nil {
			return err
		}
	}
	p.addGraphs()
	for _, f := range p.Frames {
		f.placeRest()
		f.addLives()
	}
	p.addWholes(names)
	for _, f := range p.Frames {
		f.addShapes()
	}
	p.placeWeights()
	p.Commanded = p.commanded()
	p.Schema = p.hash()
	return nil
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
