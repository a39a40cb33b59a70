package codegen

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/partitioner"
)

// emitFill emits the method that stores received values in fields:
//
//	case cutParams:
//		return values.TakeDense(&f.params, fill, values.Open)
//	case cutSample:
//		if err := values.TakeDense(&f.sample, fill, values.Open); err != nil {
//			return err
//		}
//		return values.CheckShape("sample", f.sample.Shape, 4)
func (f *frameEmitter) emitFill(j *jen.File) {
	fills := f.CutsOf(partitioner.Fill, partitioner.Together)
	if len(fills) == 0 {
		return
	}
	j.Comment("Fill takes what came over an edge.")
	j.Func().Params(f.recv()).Id("Fill").Params(jen.Id("cut").Int(), jen.Id("fill").Op("*").Qual(pkgWire, "SlotFill")).Error().BlockFunc(func(g *jen.Group) {
		f.emitTakes(g, fills)
		g.Return(jen.Nil())
	})
}

// emitTakes emits a switch with a case for each cut point that brings a value. Triggers bring none.
func (f *frameEmitter) emitTakes(g *jen.Group, fills []*partitioner.Cut) {
	fills = slices.DeleteFunc(slices.Clone(fills), func(c *partitioner.Cut) bool { return f.Brings(c) == nil })
	if len(fills) == 0 {
		return
	}
	g.Switch(jen.Id("cut")).BlockFunc(func(g *jen.Group) {
		for _, c := range fills {
			x := f.Brings(c)
			g.Case(f.emitCut(c)).BlockFunc(func(g *jen.Group) {
				if !narrows(c, x.Value.Type) {
					g.Return(f.emitTake(c, x))
					return
				}
				emitIfErr(g, f.emitTake(c, x))
				shape := f.emitOwn("f", x.Value).Dot("Shape")
				if x.Stays {
					shape = shape.Call()
				}
				g.Return(jen.Qual(pkgValues, "CheckShape").Call(append([]jen.Code{jen.Lit(c.Name), shape}, emitOpenDims(x.Value.Type)...)...))
			})
		}
	})
}

// narrows reports whether the receiver of an edge has given its value a size that the sender has not: it travels with the
// value, and is checked when it arrives.
func narrows(c *partitioner.Cut, want ir.Type) bool {
	if c.Kind != partitioner.Fill || want.Kind != ir.Tensor || !want.Ranked || !c.Edge.Type.Ranked || len(want.Shape) != len(c.Edge.Type.Shape) {
		return false
	}
	for i, d := range want.Shape {
		_, fixed := d.Const()
		if _, known := c.Edge.Type.Shape[i].Const(); fixed && !known {
			return true
		}
	}
	return false
}

func (f *frameEmitter) emitTake(c *partitioner.Cut, x *peerplan.Var) *jen.Statement {
	v := x.Value
	dst := jen.Op("&").Add(f.emitOwn("f", v))
	switch {
	case peerplan.IsString(v.Type):
		return jen.Qual(pkgValues, "TakeText").Call(dst, jen.Id("fill"))
	case peerplan.IsStrings(v.Type):
		return jen.Qual(pkgValues, "TakeDenseStrings").Call(append([]jen.Code{dst, jen.Id("fill")}, emitTakenDims(c)...)...)
	case peerplan.IsScalar(v.Type):
		return jen.Qual(pkgValues, "TakeScalar").Call(dst, jen.Id("fill"))
	case v.Type.Kind == ir.Tensor:
		take := "TakeDense"
		if x.Stays {
			take = "TakeLarge"
		}
		return jen.Qual(pkgValues, take).Call(append([]jen.Code{dst, jen.Id("fill")}, emitTakenDims(c)...)...)
	case peer.IsOwn(v.Type):
		return jen.Qual(pkgValues, "TakeOwn").Call(dst, jen.Id("fill"))
	case v.Type.Equal(peer.Peers):
		return jen.Qual(pkgValues, "TakePeers").Call(dst, jen.Id("fill"))
	case v.Type.Equal(peer.Peer1):
		return jen.Qual(pkgValues, "TakePeer").Call(dst, jen.Id("fill"))
	}
	return jen.Qual(pkgValues, "TakeText").Call(dst, jen.Id("fill"))
}

// emitTakenDims emits the dimensions of a received value. The engine knows those of a collective's result.
func emitTakenDims(c *partitioner.Cut) []jen.Code {
	if c.Kind != partitioner.Together {
		return emitOpenDims(c.Edge.Type)
	}
	var out []jen.Code
	for range c.Values[0].Type.Shape {
		out = append(out, jen.Qual(pkgValues, "Open"))
	}
	return out
}

// emitInput emits the method that stores the host's values in fields.
func (f *frameEmitter) emitInput(j *jen.File) {
	if len(f.Module.Inputs) == 0 {
		return
	}
	j.Comment("Input takes a copy of what the host, or the round before, gives.")
	j.Func().Params(f.recv()).Id("Input").Params(jen.Id("cut").Int(), jen.Id("v").Qual(pkgTensor, "Value")).Error().BlockFunc(func(g *jen.Group) {
		var cases []jen.Code
		for _, c := range f.Module.Inputs {
			if x := f.Brings(c); x != nil {
				dst := jen.Op("&").Add(f.emitOwn("f", x.Value))
				cases = append(cases, jen.Case(f.emitCut(c)).Block(jen.Return(emitSet(dst, x.Value.Type))))
			}
		}
		if cases != nil {
			g.Switch(jen.Id("cut")).Block(cases...)
		}
		g.Return(jen.Nil())
	})
}

// emitSet emits the conversion of a value from the host.
func emitSet(dst *jen.Statement, t ir.Type) *jen.Statement {
	args := []jen.Code{dst, jen.Id("v")}
	if own, ok := peer.OwnOf(t); ok {
		return jen.Qual(pkgValues, "SetOwn").Call(append(args, jen.Lit(own.Most))...)
	}
	switch {
	case t.Equal(peer.Peers):
		return jen.Qual(pkgValues, "SetPeers").Call(args...)
	case t.Equal(peer.Peer1):
		return jen.Qual(pkgValues, "SetPeer").Call(args...)
	case peerplan.IsScalar(t), t.Equal(peer.Address1):
		return jen.Qual(pkgValues, "SetScalar").Call(args...)
	}
	return jen.Qual(pkgValues, "SetDense").Call(append(args, emitOpenDims(t)...)...)
}

// emitEvent emits the method that stores results of the engine's events in fields.
func (f *frameEmitter) emitEvent(j *jen.File) {
	var cuts []*partitioner.Cut
	for _, c := range f.CutsOf(partitioner.Event) {
		if f.Brings(c) != nil {
			cuts = append(cuts, c)
		}
	}
	if len(cuts) == 0 {
		return
	}
	j.Comment("Event stores an event for which the module has waited.")
	j.Func().Params(f.recv()).Id("Event").Params(jen.Id("cut").Int(), jen.Id("r").Op("*").Qual(pkgValues, "Fields")).Error().Block(
		jen.Switch(jen.Id("cut")).BlockFunc(func(g *jen.Group) {
			for _, c := range cuts {
				g.Case(f.emitCut(c)).BlockFunc(func(g *jen.Group) {
					v := f.Brings(c).Value
					f.emitRead(g, jen.Id("r"), f.emitOwn("f", v), v.Type)
					g.Return(jen.Id("r").Dot("End").Call())
				})
			}
		}),
		jen.Return(jen.Nil()),
	)
}
