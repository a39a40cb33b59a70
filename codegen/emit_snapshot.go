package codegen

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// emitAppend emits the methods that write the frame to snapshots and read it.
func (f *frameEmitter) emitAppend(j *jen.File) {
	if len(f.Kept) == 0 {
		return
	}
	j.Comment("AppendBinary appends what later blocks need.")
	j.Func().Params(f.recv()).Id("AppendBinary").Params(jen.Id("b").Index().Byte()).Params(jen.Index().Byte(), jen.Error()).BlockFunc(func(g *jen.Group) {
		if slices.ContainsFunc(f.Kept, func(x *peerplan.Var) bool { return peer.IsOwn(x.Value.Type) }) {
			g.Var().Err().Error()
		}
		for _, x := range f.Kept {
			f.emitAppendField(g, x.Value)
		}
		g.Return(jen.Id("b"), jen.Nil())
	})
	j.Comment("UnmarshalBinary sets what AppendBinary has written.")
	j.Func().Params(f.recv()).Id("UnmarshalBinary").Params(jen.Id("b").Index().Byte()).Error().BlockFunc(func(g *jen.Group) {
		g.Id("r").Op(":=").Qual(pkgValues, "NewFields").Call(jen.Id("b"))
		for _, x := range f.Kept {
			f.emitReadField(g, x.Value)
		}
		g.Return(jen.Id("r").Dot("End").Call())
	})
}

// emitAppendField emits code that writes a field; large ones are kept in files:
//
//	b = values.AppendScalar(b, f.round)
//	b = values.KeepDense(f.Keeper(), b, f.params)
func (f *frameEmitter) emitAppendField(g *jen.Group, v *ir.Value) {
	x := f.emitOwn("f", v)
	switch kind := fieldKind(v.Type); {
	case f.stays(v):
		g.Id("b").Op("=").Qual(pkgValues, "KeepLarge").Call(emitKeeper(), jen.Id("b"), jen.Op("&").Add(x))
	case kind == "Dense":
		g.Id("b").Op("=").Qual(pkgValues, "KeepDense").Call(emitKeeper(), jen.Id("b"), x)
	case kind == "Own":
		keep := jen.Qual(pkgValues, "KeepOwn").Call(jen.Id("b"), jen.Op("&").Add(x))
		g.If(jen.List(jen.Id("b"), jen.Err()).Op("=").Add(keep), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Id("b"), jen.Err()))
	default:
		g.Id("b").Op("=").Qual(pkgValues, "Append"+kind).Call(jen.Id("b"), x)
	}
}

// emitReadField emits code that reads a field.
func (f *frameEmitter) emitReadField(g *jen.Group, v *ir.Value) {
	x := f.emitOwn("f", v)
	switch {
	case f.stays(v):
		g.Qual(pkgValues, "ReadLarge").Call(emitKeeper(), jen.Id("r"), jen.Op("&").Add(x))
	case fieldKind(v.Type) == "Dense":
		g.Qual(pkgValues, "ReadKept").Call(emitKeeper(), jen.Id("r"), jen.Op("&").Add(x))
	default:
		f.emitRead(g, jen.Id("r"), x, v.Type)
	}
}

// emitKeeper emits where large fields of a frame are kept.
func emitKeeper() *jen.Statement { return jen.Id("f").Dot("Keeper").Call() }
