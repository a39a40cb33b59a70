package peerplan

import (
	"fmt"

	"github.com/bbgen/bbgen/codegen/ident"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/partitioner"
)

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
