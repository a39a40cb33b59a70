package codegen

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/ir"
)

// Generate prints the package of one plan.
func Generate(m *ir.Module, p *plan.Plan, opt Options) ([]File, error) {
	e := newEmitter(m, p, opt)
	described, err := e.metadata()
	if err != nil {
		return nil, err
	}
	return printFiles(opt, append(described, []emitted{
		{"model.bb.go", e.emitModel, nil},
		{"graph.bb.go", e.emitGraph, e},
		{"weights.bb.go", e.emitWeights, nil},
		{"tensors.bb.go", e.emitTensors, nil},
		{"profile.bb.go", e.emitProfile, nil},
		{"model_bb_test.go", e.emitTest, nil},
	}...), p.WeightsFile())
}

// GenerateTrainer generates the package of a trainer.
func GenerateTrainer(t *Trainer, opt Options) ([]File, error) {
	e, err := newTrainer(t, opt)
	if err != nil {
		return nil, err
	}
	files := []emitted{{"trainer.bb.go", e.emitTrainer, nil}}
	for _, p := range e.parts {
		files = append(files, emitted{p.part + ".bb.go", p.emitGraph, p})
	}
	if t.Slot {
		methods, err := t.SlotMethods()
		if err != nil {
			return nil, err
		}
		files = append(files, emitted{"slot.bb.go", func(f *jen.File) { e.emitSlot(f, methods) }, nil})
	}
	return printFiles(opt, append(files, []emitted{
		{"state.bb.go", e.emitState, nil},
		{"weights.bb.go", e.emitWeights, nil},
		{"session.bb.go", e.emitSession, nil},
		{"trainer_bb_test.go", e.emitTest, nil},
	}...), e.weightsFile())
}

// GeneratePartition generates the package for the peers of one class.
func GeneratePartition(p *peerplan.Plan, opt Options) ([]File, error) {
	e := newPartitionEmitter(p, opt)
	files := []emitted{{"partition.bb.go", e.emitPartition, nil}}
	for _, f := range e.frames {
		if f.File != "" {
			files = append(files, emitted{f.File + ".bb.go", func(j *jen.File) { e.emitActivity(j, f) }, nil})
		}
	}
	for _, c := range e.computes {
		files = append(files, emitted{c.File + ".bb.go", func(j *jen.File) { e.emitCompute(j, c) }, c.emitter})
	}
	if e.hasWeights() {
		files = append(files, emitted{"weights.bb.go", e.emitWeights, nil})
	}
	out, err := printFiles(opt, files, &e.Weights)
	if err == nil && !e.hasWeights() {
		out = slices.DeleteFunc(out, func(f File) bool { return f.Path == "weights.bin" })
	}
	return out, err
}
