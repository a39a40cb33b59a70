package codegen

import (
	"path"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/partitioner"
)

const pkgWire = "github.com/bbgen/bbgen/runtime/wire"

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
	out, err := printFiles(opt, files, e.Weights)
	if err == nil && !e.hasWeights() {
		out = slices.DeleteFunc(out, func(f File) bool { return f.Path == "weights.bin" })
	}
	return out, err
}

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

// frameOf returns the emitter of a module's frame.
func (e *partitionEmitter) frameOf(m *partitioner.Module) *frameEmitter {
	return e.frames[e.FrameOf(m).Index]
}

func (e *partitionEmitter) hasWeights() bool { return len(e.Weights) > 0 }

// emitWeights emits the embedded weights file.
func (e *partitionEmitter) emitWeights(f *jen.File) {
	f.Anon("embed")
	f.Comment("weightsFile holds the constants in the layouts that the kernels read.")
	f.Comment("")
	f.Comment("//go:embed weights.bin")
	f.Var().Id("weightsFile").String()
	f.Comment("weightBytes is the size of the file.")
	f.Const().Id("weightBytes").Op("=").Lit(len(e.Weights))
}

// emitLiteral emits a Go value.
func emitLiteral(l peerplan.Literal) *jen.Statement {
	switch {
	case l.Text != "":
		return jen.Op(l.Text)
	case l.Name != "":
		return jen.Qual(l.Package, l.Name)
	}
	out := jen.Op(l.Prefix)
	if l.Prefix == "" {
		out = jen.Null()
	}
	out.Add(emitComponent(l.Package, l.Type))
	return out.ValuesFunc(func(g *jen.Group) {
		for _, f := range l.Fields {
			g.Id(f.Name).Op(":").Add(emitLiteral(f.Value))
		}
		for _, x := range l.Elems {
			g.Add(emitLiteral(x))
		}
	})
}

// emitComponent emits a component's type.
func emitComponent(pkg, name string) *jen.Statement {
	if pkg != "" {
		return jen.Qual(pkg, name)
	}
	return jen.Id(name)
}

// importName returns the name of a package in code.
func importName(pkg string) string { return path.Base(pkg) }
