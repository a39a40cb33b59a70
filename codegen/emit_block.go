package codegen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/partitioner"
)

// emitBlock emits the method of one block, as straight-line code.
func (f *frameEmitter) emitBlock(j *jen.File, b *peerplan.Block) {
	f.locals, f.apart, f.names = map[*ir.Value]string{}, map[*ir.Node]string{}, f.reserved()
	j.Comment(fmt.Sprintf("%s %s.", b.Const, f.blockText(b)))
	j.Func().Params(f.recv()).Id(b.Const).Params(jen.Id("e").Op("*").Qual(pkgRuntime, "Engine")).Error().BlockFunc(func(g *jen.Group) {
		last := ""
		for k := range b.Steps {
			s := &b.Steps[k]
			if f.hasNoCode(s) {
				continue
			}
			pos := stepPos(s)
			if pos != "" && pos != last {
				g.Comment(pos)
			}
			last = pos
			f.emitStep(g, s)
		}
		f.emitShapes(g, b)
		f.emitDrops(g, b)
		g.Return(jen.Nil())
	})
}

// hasNoCode reports whether a step only orders others, or opens the execution with nothing that a block reads.
func (f *frameEmitter) hasNoCode(s *partitioner.Step) bool {
	if s.Into != nil { // see emitTask
		return true
	}
	if s.Node == nil || s.Cut != nil {
		return false
	}
	switch op.PeerKindOf(s.Node) {
	case op.KindOrder:
		v := s.Node.Out[0]
		return v == nil || peer.IsTrigger(v) || !f.At(v).IsField()
	case op.KindOpen:
		return !slices.ContainsFunc(s.Node.Out, f.opensWith)
	}
	return false
}

// stepPos returns the author's position of a step: the base name of the file and the line.
func stepPos(s *partitioner.Step) string {
	if s.Node == nil || s.Node.Pos == "" {
		return ""
	}
	return baseName(s.Node.Pos)
}

// blockText describes a block in words.
func (f *frameEmitter) blockText(b *peerplan.Block) string {
	var names []string
	for _, c := range b.Wait {
		names = append(names, f.Plan.CutName(c))
	}
	switch {
	case len(names) == 0:
		return "runs when the execution begins"
	case b.Any:
		return "runs when " + strings.Join(names, " or ") + " is there"
	case len(names) == 1:
		return "runs when " + names[0] + " is there"
	}
	return "runs when " + list(names) + " are there"
}
