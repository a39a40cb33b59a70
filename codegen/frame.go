package codegen

import (
	"github.com/bbgen/bbgen/codegen/ident"
	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/ir"
)

// frameEmitter prints one frame: a field for each value that outlives a block, and a method for each block.
type frameEmitter struct {
	*peerplan.Frame
	e *partitionEmitter

	locals map[*ir.Value]string // of the current block
	apart  map[*ir.Node]string  // of the current block: the executions in which bundles are sent
	names  *ident.Scope
	child  *frameEmitter // of the current Fold
}
