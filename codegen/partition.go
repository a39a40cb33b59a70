package codegen

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/peerplan"
)

const pkgWire = "github.com/bbgen/bbgen/runtime/wire"

// partitionEmitter prints one partition.
type partitionEmitter struct {
	*peerplan.Plan
	opt      Options
	frames   []*frameEmitter
	computes []*computeEmitter
}

func newPartitionEmitter(p *peerplan.Plan, opt Options) *partitionEmitter {
	e := &partitionEmitter{Plan: p, opt: opt}
	for _, f := range p.Frames {
		e.frames = append(e.frames, &frameEmitter{Frame: f, e: e})
	}
	for _, c := range p.Computes {
		e.computes = append(e.computes, newCompute(c, opt))
	}
	return e
}

// hasWeights reports whether the partition reads a file of weights. Constants without elements are in it, too, though they
// leave it empty.
func (e *partitionEmitter) hasWeights() bool {
	return len(e.Graphs) > 0 ||
		slices.ContainsFunc(e.Constants, func(c *peerplan.Constant) bool { return !peerplan.IsStrings(c.Value.Type) }) ||
		slices.ContainsFunc(e.computes, func(c *computeEmitter) bool { return len(c.p.Weights) > 0 })
}

// emitWeights emits the embedded weights file.
func (e *partitionEmitter) emitWeights(f *jen.File) {
	emitWeightsFile(f, "holds the constants in the layouts that the kernels read")
	f.Comment("weightBytes is the size of the file.")
	f.Const().Id("weightBytes").Op("=").Lit(e.Weights.Len)
}
