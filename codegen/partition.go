package codegen

import (
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

func (e *partitionEmitter) hasWeights() bool { return e.Weights.Len > 0 }

// emitWeights emits the embedded weights file.
func (e *partitionEmitter) emitWeights(f *jen.File) {
	emitWeightsFile(f, "holds the constants in the layouts that the kernels read")
	f.Comment("weightBytes is the size of the file.")
	f.Const().Id("weightBytes").Op("=").Lit(e.Weights.Len)
}
