package peerplan

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/partitioner"
)

// addLives finds how long the frame needs its fields, and which of them remain in the host's storage.
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

// stays computes [Var.Stays]: whether no block of the child reads the value of a fill that may be large.
func (f *Frame) stays(x *Var) bool {
	if f.Module.Parent == nil || f.read[x.Value] || !MayBeLarge(x.Value.Type) {
		return false
	}
	return slices.ContainsFunc(f.CutsOf(partitioner.Fill), func(c *partitioner.Cut) bool { return f.Brings(c) == x })
}

// lastReader returns the block after which a value is unused: its only reader or, if a command is the only
// reader, the first block that waits for the command. It returns nil if there are several readers.
func (f *Frame) lastReader(v *ir.Value) *partitioner.Block {
	var reader *partitioner.Block
	var command *partitioner.Cut
	several := false
	eachStep(f.Module, func(b *partitioner.Block, s *partitioner.Step) {
		if !slices.Contains(s.Reads(), v) {
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

// waitsFor returns the first block that waits for a cut point.
func (f *Frame) waitsFor(c *partitioner.Cut) *partitioner.Block {
	for _, b := range f.Module.Blocks {
		if !b.Any && slices.Contains(b.Wait, c) {
			return b
		}
	}
	return nil
}
