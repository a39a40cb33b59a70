package codegen

import (
	"fmt"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/runtime/tensor"
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

// emitInt emits a literal of 64 bits, such as a duration, which an int of the compiler may be too small for.
func emitInt(x int64) *jen.Statement { return jen.Id(strconv.FormatInt(x, 10)) }

// emitNumber emits a tensor of rank 0 as a Go expression of its type.
func emitNumber(t *tensor.Tensor) *jen.Statement {
	switch x := t.Data.(type) {
	case []float32:
		return jen.Float32().Call(emitFloat(op.Decimal(float64(x[0]))))
	case []float64:
		return jen.Float64().Call(emitFloat(x[0]))
	case []int64:
		return jen.Int64().Call(emitInt(x[0]))
	case []int32:
		return jen.Lit(x[0])
	case []uint64:
		return jen.Lit(x[0])
	case []bool:
		return jen.Lit(x[0])
	case []uint8:
		return jen.Uint8().Call(jen.Lit(int(x[0])))
	case []string:
		return jen.Lit(x[0])
	}
	panic("BUG: no way to print a constant of " + t.DType.String())
}

// emitBoxed emits a value for the host, which may keep it:
//
//	runtime.Kept(f.params)
//	tensor.Of([]float32{loss})
//
// A value of an author's Go type is encoded first:
//
//	written, err := runtime.OwnTensor(&f.reading.X, 4096)
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
		return jen.Qual(pkgTensor, "Of").Call(jen.Index().Add(emitElem(v.Type.Elem)).Values(f.emitRef(v)))
	case f.Owns(v) && v.Type.Kind == ir.Tensor:
		return jen.Qual(pkgRuntime, "Kept").Call(f.emitRef(v))
	case v.Type.Kind == ir.Tensor:
		return f.emitRef(v).Dot("Clone").Call().Dot("Tensor").Call()
	case v.Type.Equal(peer.Peers):
		return jen.Qual(pkgRuntime, "PeerNames").Call(f.emitRef(v).Op("..."))
	case v.Type.Equal(peer.Peer1):
		return jen.Qual(pkgRuntime, "PeerNames").Call(f.emitRef(v))
	}
	return jen.Qual(pkgTensor, "Of").Call(jen.Index().String().Values(f.emitRef(v)))
}

// emitWritten emits the encoding of a value of an author's Go type by a function of the runtime, and returns
// the result's variable.
func (f *frameEmitter) emitWritten(g *jen.Group, function string, v *ir.Value, to ...jen.Code) *jen.Statement {
	own, _ := peer.OwnOf(v.Type)
	name := f.names.Local("written")
	g.List(jen.Id(name), jen.Err()).Op(":=").Qual(pkgRuntime, function).Call(append(to, jen.Op("&").Add(f.emitRef(v)), jen.Lit(own.Most))...)
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
