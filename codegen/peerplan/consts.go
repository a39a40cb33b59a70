package peerplan

import (
	"maps"
	"slices"

	"github.com/bbgen/bbgen/partitioner"
)

// addConsts names the constants for edges, modules, cut points and blocks.
func (p *Plan) addConsts(names scopes) {
	p.edgeConst, p.cutConst = map[*partitioner.Edge]string{}, map[*partitioner.Cut]string{}
	for _, x := range p.Part.Program.Edges {
		p.edgeConst[x] = names.types.Local("edge " + x.Name)
	}
	for _, f := range p.Frames {
		f.Const = names.types.Local("module " + f.Module.Name)
	}
	for _, f := range p.Frames {
		for _, c := range f.Module.Cuts {
			p.cutConst[c] = names.constant("cut", f, p.CutName(c))
		}
		for _, b := range f.Blocks {
			b.Const = names.constant("block", f, b.Name)
		}
	}
}

// EdgeConst returns the constant of an edge: edgeClientUpdate.
func (p *Plan) EdgeConst(x *partitioner.Edge) string { return p.edgeConst[x] }

// CutConst returns the constant of a cut point: cutLoaded.
func (p *Plan) CutConst(c *partitioner.Cut) string { return p.cutConst[c] }

// Consts returns all these constants. No local variable may have one of their names.
func (p *Plan) Consts() []string {
	consts := slices.Concat(slices.Collect(maps.Values(p.edgeConst)), slices.Collect(maps.Values(p.cutConst)))
	for _, f := range p.Frames {
		consts = append(consts, f.Const)
		for _, b := range f.Blocks {
			consts = append(consts, b.Const)
		}
	}
	return consts
}
