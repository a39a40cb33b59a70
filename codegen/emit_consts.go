package codegen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/partitioner"
)

// emitConsts emits constants for the partition's modules and the program's edges:
//
//	// The modules of the partition.
//	const (
//		moduleStart = iota
//		moduleServer
//	)
func (e *partitionEmitter) emitConsts(j *jen.File) {
	var modules, edges []string
	for _, f := range e.frames {
		modules = append(modules, f.Const)
	}
	for _, x := range e.Part.Program.Edges {
		edges = append(edges, e.EdgeConst(x))
	}
	emitIota(j, "The modules of the partition.", modules)
	emitIota(j, "The edges of the program.", edges)
}

// emitConsts emits constants for a frame's cut points and blocks.
func (f *frameEmitter) emitConsts(j *jen.File) {
	var cuts, blocks []string
	for _, c := range f.Module.Cuts {
		cuts = append(cuts, f.Plan.CutConst(c))
	}
	for _, b := range f.Blocks {
		blocks = append(blocks, b.Const)
	}
	emitIota(j, fmt.Sprintf("The cut points of %s, where values arrive.", f.Module.Name), cuts)
	emitIota(j, fmt.Sprintf("The blocks of %s.", f.Module.Name), blocks)
}

// emitIota emits constants that count from 0.
func emitIota(j *jen.File, comment string, names []string) {
	if len(names) == 0 {
		return
	}
	j.Comment(comment)
	if len(names) == 1 {
		j.Const().Id(names[0]).Op("=").Lit(0)
		return
	}
	j.Const().DefsFunc(func(g *jen.Group) {
		g.Id(names[0]).Op("=").Iota()
		for _, name := range names[1:] {
			g.Id(name)
		}
	})
}

// emitCut emits the constant of a cut point.
func (f *frameEmitter) emitCut(c *partitioner.Cut) *jen.Statement {
	return jen.Id(f.Plan.CutConst(c))
}

// emitEdgeConst emits the constant of an edge.
func (f *frameEmitter) emitEdgeConst(x *partitioner.Edge) *jen.Statement {
	return jen.Id(f.Plan.EdgeConst(x))
}
