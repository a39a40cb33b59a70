package codegen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// emitRef emits a reference to a value: f.params, loss, f.Sender(cutUpdate), 1.5.
func (f *frameEmitter) emitRef(v *ir.Value) *jen.Statement {
	v = f.Root(v)
	if f.child != nil && f.child.Has(v) {
		return f.child.emitField("c", v)
	}
	if v.IsConst() {
		return f.emitConst(v)
	}
	if name, ok := f.locals[v]; ok {
		return jen.Id(name)
	}
	return f.emitField("f", v)
}

// emitField emits the value in a field.
func (f *frameEmitter) emitField(frame string, v *ir.Value) *jen.Statement {
	x := f.emitOwn(frame, v)
	if peer.IsOwn(v.Type) {
		return x.Dot("X")
	}
	return x
}

// emitOwn emits the variable that holds a value of the frame.
func (f *frameEmitter) emitOwn(frame string, v *ir.Value) *jen.Statement {
	if !f.Has(v) {
		panic(fmt.Sprintf("BUG: value %q is nowhere in %s", v.Name, f.Type))
	}
	x := f.At(v)
	if x.Place == peerplan.Sender {
		return jen.Id(frame).Dot("Sender").Call(f.emitCut(x.Cut))
	}
	return jen.Id(frame).Dot(x.Field)
}

// emitConst emits a constant: a number, or the peer's tensor.
func (f *frameEmitter) emitConst(v *ir.Value) *jen.Statement {
	if c := f.Plan.ConstantOf(v); c != nil {
		return jen.Id("f").Dot("peer").Dot(c.Field)
	}
	return emitNumber(v.Const)
}

// emitElement emits a scalar as an element of a slice of its type: an integer constant needs no conversion there.
func (f *frameEmitter) emitElement(v *ir.Value) *jen.Statement {
	if c := f.Root(v).Const; c != nil && c.DType.IsInt() {
		return emitDigits(c)
	}
	return f.emitRef(v)
}

// emitBoxed emits a value for the host, which may keep it:
//
//	values.Kept(f.params)
//	tensor.Of([]float32{loss})
//
// A value of an author's Go type is encoded first:
//
//	written, err := values.OwnTensor(&f.reading.X, 4096)
//	if err != nil {
//		return err
//	}
func (f *frameEmitter) emitBoxed(g *jen.Group, v *ir.Value) *jen.Statement {
	switch {
	case peer.IsOwn(v.Type):
		return f.emitWritten(g, "OwnTensor", v)
	case peer.IsTrigger(v):
		return jen.Nil()
	case peerplan.IsScalar(v.Type):
		return jen.Qual(pkgTensor, "Of").Call(jen.Index().Add(emitElem(v.Type.Elem)).Values(f.emitElement(v)))
	case f.Owns(v) && v.Type.Kind == ir.Tensor:
		return jen.Qual(pkgValues, "Kept").Call(f.emitRef(v))
	case v.Type.Kind == ir.Tensor:
		return f.emitRef(v).Dot("Clone").Call().Dot("Tensor").Call()
	case v.Type.Equal(peer.Peers):
		return jen.Qual(pkgValues, "PeerNames").Call(f.emitRef(v).Op("..."))
	case v.Type.Equal(peer.Peer1):
		return jen.Qual(pkgValues, "PeerNames").Call(f.emitRef(v))
	}
	return jen.Qual(pkgTensor, "Of").Call(jen.Index().String().Values(f.emitRef(v)))
}

// emitWritten emits the encoding of a value of an author's Go type by a function of the runtime, and returns
// the result's variable.
func (f *frameEmitter) emitWritten(g *jen.Group, function string, v *ir.Value, to ...jen.Code) *jen.Statement {
	own, _ := peer.OwnOf(v.Type)
	name := f.names.Local("written")
	g.List(jen.Id(name), jen.Err()).Op(":=").Qual(pkgValues, function).Call(append(to, jen.Op("&").Add(f.emitRef(v)), jen.Lit(own.Most))...)
	g.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
	return jen.Id(name)
}

// emitKeep emits the assignment of a value to a field, so that it outlives the block:
//
//	f.params.Set(params)
//	f.mean.Share(mean)
//	f.loss = loss
func (f *frameEmitter) emitKeep(g *jen.Group, dst *ir.Value, x *jen.Statement) {
	to := f.emitOwn("f", dst)
	switch {
	case peerplan.IsScalar(dst.Type), dst.Type.Equal(peer.Peer1), dst.Type.Equal(peer.Address1):
		g.Add(to).Op("=").Add(x)
	case dst.Type.Kind == ir.Tensor && f.At(dst).Given:
		g.Add(to).Dot("Share").Call(x)
	case dst.Type.Kind == ir.Tensor, peer.IsOwn(dst.Type):
		g.Add(to).Dot("Set").Call(x)
	default:
		g.Add(to).Op("=").Append(to.Clone().Index(jen.Op(":").Lit(0)), x.Op("..."))
	}
}

// same gives a value a second name, or copies it if it outlives the block.
func (f *frameEmitter) same(g *jen.Group, v, of *ir.Value) {
	if f.At(v).IsField() {
		f.emitKeep(g, v, f.emitRef(of))
	}
}

// emitRound emits the number of the round.
func (f *frameEmitter) emitRound() *jen.Statement {
	return f.emitOwn("f", f.Module.Inputs[0].Values[0])
}
