package peerplan

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/partitioner"
)

// addLives finds how long the frame needs its fields, and which of them stay where the
// host keeps them.
func (f *Frame) addLives() {
	for _, x := range f.Kept {
		x.Stays = f.stays(x)
		x.Until = f.lastReader(x.Value)
		if !MayBeLarge(x.Value.Type) || x.Stays || x.Until == nil {
			continue
		}
		for _, b := range f.Blocks {
			if b.Block == x.Until {
				b.Drops = append(b.Drops, x)
			}
		}
	}
}

// stays is [Var.Stays]: no block of the child reads what has filled a cut point.
func (f *Frame) stays(x *Var) bool {
	if f.Module.Parent == nil || f.read[x.Value] || !MayBeLarge(x.Value.Type) {
		return false
	}
	return slices.ContainsFunc(f.CutsOf(partitioner.Fill), func(c *partitioner.Cut) bool { return f.Brings(c) == x })
}

// lastReader returns the block after which nobody reads a value: the only one that does, or,
// if a command alone does, the first that waits for it. It is nil if there are
// several readers.
func (f *Frame) lastReader(v *ir.Value) *partitioner.Block {
	var reader *partitioner.Block
	var command *partitioner.Cut
	several := false
	eachStep(f.Module, func(b *partitioner.Block, s *partitioner.Step) {
		if !slices.Contains(reads(s), v) {
			return
		}
		isCommand := s.Cut != nil && s.Cut.Kind == partitioner.Command
		several = several || reader != nil && (reader != b || isCommand || command != nil)
		if reader = b; isCommand {
			command = s.Cut
		}
	})
	switch {
	case several:
		return nil
	case command != nil:
		return f.waitsFor(command)
	}
	return reader
}

// waitsFor returns the first block that cannot run before a cut point has come.
func (f *Frame) waitsFor(c *partitioner.Cut) *partitioner.Block {
	for _, b := range f.Module.Blocks {
		if !b.Any && slices.Contains(b.Wait, c) {
			return b
		}
	}
	return nil
}
