package codegen

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/ident"
	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/partitioner"
)

// emitActivity emits the file of an activity: its frames, including those of its child modules.
func (e *partitionEmitter) emitActivity(j *jen.File, f *frameEmitter) {
	f.emitFrame(j)
	for _, child := range e.frames {
		if child.Module.Parent == f.Module {
			child.emitFrame(j)
		}
	}
}

// emitFrame emits a frame's type and methods.
func (f *frameEmitter) emitFrame(j *jen.File) {
	f.emitConsts(j)
	f.emitType(j)
	f.emitRun(j)
	for _, b := range f.Blocks {
		f.emitBlock(j, b)
	}
	f.emitTasks(j)
	f.emitFill(j)
	f.emitInput(j)
	f.emitEvent(j)
	f.emitNumber(j)
	f.emitClear(j)
	f.emitAppend(j)
}

// emitNumber emits the method that returns the number of the round, if the engine reports rounds.
func (f *frameEmitter) emitNumber(j *jen.File) {
	if f.Module.Short != "" {
		j.Comment("Round is the number of the round.")
		j.Func().Params(f.recv()).Id("Round").Params().Int64().Block(jen.Return(f.emitRound()))
	}
}

// emitRound emits the number of the round.
func (f *frameEmitter) emitRound() *jen.Statement {
	return f.emitOwn("f", f.Module.Inputs[0].Values[0])
}

func (f *frameEmitter) emitType(j *jen.File) {
	what := "one execution of " + f.Module.Name + " on this peer"
	if f.Module.Parent != nil {
		what = "what one peer sends to an execution of " + f.Module.Parent.Name
	}
	j.Comment(fmt.Sprintf("%s is %s.", f.Type, what))
	j.Type().Id(f.Type).StructFunc(func(g *jen.Group) {
		g.Qual(pkgRuntime, "Frame")
		g.Id("peer").Op("*").Id("peer")
		for _, x := range f.Kept {
			v := x.Value
			typ := emitFieldType(v.Type)
			if x.Stays {
				typ = jen.Qual(pkgRuntime, "Large").Index(emitElem(v.Type.Elem))
			}
			g.Id(x.Field).Add(typ).Comment(v.Type.String())
		}
		if len(f.Scratch) > 0 {
			g.Line().Comment("Memory of values that no other block reads.")
		}
		for _, x := range f.Scratch {
			g.Id(x.Field).Add(emitFieldType(x.Value.Type)).Comment(x.Value.Type.String())
		}
	})
}

// emitFieldType emits the Go type of a field.
func emitFieldType(t ir.Type) *jen.Statement {
	if peer.IsOwn(t) {
		return jen.Qual(pkgRuntime, "Own").Index(emitValueType(t))
	}
	return emitValueType(t)
}

func (f *frameEmitter) recv() *jen.Statement { return jen.Id("f").Op("*").Id(f.Type) }

func (f *frameEmitter) emitRun(j *jen.File) {
	j.Comment("Run runs a block.")
	j.Func().Params(f.recv()).Id("Run").Params(jen.Id("n").Op("*").Qual(pkgRuntime, "Node"), jen.Id("block").Int()).Error().BlockFunc(func(g *jen.Group) {
		if len(f.Module.Blocks) == 1 {
			g.Return(jen.Id("f").Dot(f.Blocks[0].Const).Call(jen.Id("n")))
			return
		}
		g.Switch(jen.Id("block")).BlockFunc(func(g *jen.Group) {
			for _, b := range f.Blocks {
				g.Case(jen.Id(b.Const)).Block(jen.Return(jen.Id("f").Dot(b.Const).Call(jen.Id("n"))))
			}
		})
		g.Panic(jen.Lit("BUG: there is no such block"))
	})
}

// reserved returns a scope with the identifiers that no local variable may have.
func (f *frameEmitter) reserved() *ident.Scope {
	n := ident.NewScope("f", "n", "c", "err", "body", "tensor", "runtime", "wire", "cpu")
	for _, s := range f.Plan.Slots {
		n.Take(importName(s.Package))
	}
	for _, name := range f.Plan.Consts() {
		n.Take(name)
	}
	for _, x := range slices.Concat(f.Kept, f.Scratch, f.Rest) {
		if own, ok := peer.OwnOf(x.Value.Type); ok {
			n.Take(importName(own.Package))
		}
	}
	return n
}

// emitBlock emits the method of one block, as straight-line code.
func (f *frameEmitter) emitBlock(j *jen.File, b *peerplan.Block) {
	f.locals, f.apart, f.names = map[*ir.Value]string{}, map[*ir.Node]string{}, f.reserved()
	j.Comment(fmt.Sprintf("%s %s.", b.Const, f.blockText(b)))
	j.Func().Params(f.recv()).Id(b.Const).Params(jen.Id("n").Op("*").Qual(pkgRuntime, "Node")).Error().BlockFunc(func(g *jen.Group) {
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
	switch peerplan.KindOf(s.Node) {
	case op.KindOrder:
		v := s.Node.Out[0]
		return v == nil || peerplan.IsTrigger(v) || !f.At(v).IsField()
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

// emitTasks emits the types of commands. They have the memory of the frame under another type name.
func (f *frameEmitter) emitTasks(j *jen.File) {
	if len(f.Tasks) == 0 {
		return
	}
	j.Comment("Task is the command behind a cut point.")
	j.Func().Params(f.recv()).Id("Task").Params(jen.Id("cut").Int()).Qual(pkgRuntime, "Task").Block(
		jen.Switch(jen.Id("cut")).BlockFunc(func(g *jen.Group) {
			for _, t := range f.Tasks {
				g.Case(f.emitCut(t.Cut)).BlockFunc(func(g *jen.Group) {
					for _, s := range t.Folds {
						g.Id("f").Dot("Contributed").Call(f.emitCut(t.Cut), f.emitCut(s.Fold.Gather))
					}
					g.Return(jen.Parens(jen.Op("*").Id(t.Type)).Call(jen.Id("f")))
				})
			}
		}),
		jen.Panic(jen.Lit("BUG: there is no such command")),
	)
	for _, t := range f.Tasks {
		f.emitTask(j, t)
	}
}

func (f *frameEmitter) emitTask(j *jen.File, t *peerplan.Task) {
	f.locals, f.apart, f.names = map[*ir.Value]string{}, map[*ir.Node]string{}, f.reserved()
	j.Comment(fmt.Sprintf("%s is a frame while its command %s runs.", t.Type, f.Plan.CutName(t.Cut)))
	j.Type().Id(t.Type).Id(f.Type)
	j.Comment("Do runs on the host's worker.")
	j.Func().Params(jen.Id("f").Op("*").Id(t.Type)).Id("Do").Params().Error().BlockFunc(func(g *jen.Group) {
		s := t.Step
		if compute := peerplan.ComputeOf(s); compute != nil {
			g.Return(f.emitComputeCall(compute))
			return
		}
		for _, fold := range t.Folds {
			f.emitFoldTask(g, t.Cut, fold)
		}
		if s.Fold != nil {
			g.Return(jen.Nil())
			return
		}
		if call := f.emitOnlyCall(s.Node); call != nil {
			g.Return(call)
			return
		}
		f.emitRoleCall(g, s.Node)
		g.Return(jen.Nil())
	})
}

// emitFill emits the method that stores received values in fields:
//
//	case cutParams:
//		return runtime.TakeDense(&f.params, fill, runtime.Open)
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
			g.Case(f.emitCut(c)).Block(jen.Return(f.emitTake(c, f.Brings(c))))
		}
	})
}

func (f *frameEmitter) emitTake(c *partitioner.Cut, x *peerplan.Var) *jen.Statement {
	v := x.Value
	dst := jen.Op("&").Add(f.emitOwn("f", v))
	switch {
	case peerplan.IsString(v.Type):
		return jen.Qual(pkgRuntime, "TakeText").Call(dst, jen.Id("fill"))
	case peerplan.IsStrings(v.Type):
		return jen.Qual(pkgRuntime, "TakeDenseStrings").Call(append([]jen.Code{dst, jen.Id("fill")}, emitTakenDims(c)...)...)
	case peerplan.IsScalar(v.Type):
		return jen.Qual(pkgRuntime, "TakeScalar").Call(dst, jen.Id("fill"))
	case v.Type.Kind == ir.Tensor:
		take := "TakeDense"
		if x.Stays {
			take = "TakeLarge"
		}
		return jen.Qual(pkgRuntime, take).Call(append([]jen.Code{dst, jen.Id("fill")}, emitTakenDims(c)...)...)
	case peer.IsOwn(v.Type):
		return jen.Qual(pkgRuntime, "TakeOwn").Call(dst, jen.Id("fill"))
	case v.Type.Equal(peer.Peers):
		return jen.Qual(pkgRuntime, "TakePeers").Call(dst, jen.Id("fill"))
	case v.Type.Equal(peer.Peer1):
		return jen.Qual(pkgRuntime, "TakePeer").Call(dst, jen.Id("fill"))
	}
	return jen.Qual(pkgRuntime, "TakeText").Call(dst, jen.Id("fill"))
}

// emitInput emits the method that stores the host's values in fields.
func (f *frameEmitter) emitInput(j *jen.File) {
	if len(f.Module.Inputs) == 0 {
		return
	}
	j.Comment("Input takes a copy of what the host, or the round before, gives.")
	j.Func().Params(f.recv()).Id("Input").Params(jen.Id("cut").Int(), jen.Id("v").Qual(pkgTensor, "Value")).Error().BlockFunc(func(g *jen.Group) {
		g.Switch(jen.Id("cut")).BlockFunc(func(g *jen.Group) {
			for _, c := range f.Module.Inputs {
				x := f.Brings(c)
				if x == nil {
					continue
				}
				v := x.Value
				dst := jen.Op("&").Add(f.emitOwn("f", v))
				g.Case(f.emitCut(c)).Block(jen.Return(emitSet(dst, v.Type)))
			}
		})
		g.Return(jen.Nil())
	})
}

// emitSet emits the conversion of a value from the host.
func emitSet(dst *jen.Statement, t ir.Type) *jen.Statement {
	args := []jen.Code{dst, jen.Id("v")}
	if own, ok := peer.OwnOf(t); ok {
		return jen.Qual(pkgRuntime, "SetOwn").Call(append(args, jen.Lit(own.Most))...)
	}
	switch {
	case t.Equal(peer.Peers):
		return jen.Qual(pkgRuntime, "SetPeers").Call(args...)
	case t.Equal(peer.Peer1):
		return jen.Qual(pkgRuntime, "SetPeer").Call(args...)
	case peerplan.IsScalar(t), t.Equal(peer.Address1):
		return jen.Qual(pkgRuntime, "SetScalar").Call(args...)
	}
	return jen.Qual(pkgRuntime, "SetDense").Call(append(args, emitOpenDims(t)...)...)
}

func (f *frameEmitter) emitClear(j *jen.File) {
	if len(f.Kept) == 0 {
		return
	}
	j.Comment("Clear forgets the execution; the frame keeps its memory for another.")
	j.Func().Params(f.recv()).Id("Clear").Params().BlockFunc(func(g *jen.Group) {
		for _, field := range f.Kept {
			v := field.Value
			x := f.emitOwn("f", v)
			switch {
			case peerplan.IsScalar(v.Type):
				g.Add(x).Op("=").Add(emitZero(v.Type))
			case v.Type.Kind == ir.Tensor, peer.IsOwn(v.Type):
				g.Add(x).Dot("Reset").Call()
			case v.Type.Equal(peer.Peers):
				g.Add(x).Op("=").Add(x.Clone()).Index(jen.Op(":").Lit(0))
			case v.Type.Equal(peer.Peer1):
				g.Add(x).Op("=").Qual(pkgWire, "PeerID").Values()
			default:
				g.Add(x).Op("=").Lit("")
			}
		}
	})
}

func emitZero(t ir.Type) *jen.Statement {
	switch t.Elem.GoType() {
	case "bool":
		return jen.False()
	case "string":
		return jen.Lit("")
	}
	return jen.Lit(0)
}

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
		g.Id("r").Op(":=").Qual(pkgRuntime, "NewFields").Call(jen.Id("b"))
		for _, x := range f.Kept {
			f.emitReadField(g, x.Value)
		}
		g.Return(jen.Id("r").Dot("End").Call())
	})
}

// emitAppendField emits code that writes a field; large ones are kept in files:
//
//	b = runtime.AppendScalar(b, f.round)
//	b = runtime.KeepDense(&f.Frame, b, f.params)
func (f *frameEmitter) emitAppendField(g *jen.Group, v *ir.Value) {
	x := f.emitOwn("f", v)
	switch kind := fieldKind(v.Type); {
	case f.stays(v):
		g.Id("b").Op("=").Qual(pkgRuntime, "KeepLarge").Call(f.frame(), jen.Id("b"), jen.Op("&").Add(x))
	case kind == "Dense":
		g.Id("b").Op("=").Qual(pkgRuntime, "KeepDense").Call(f.frame(), jen.Id("b"), x)
	case kind == "Own":
		keep := jen.Qual(pkgRuntime, "KeepOwn").Call(jen.Id("b"), jen.Op("&").Add(x))
		g.If(jen.List(jen.Id("b"), jen.Err()).Op("=").Add(keep), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Id("b"), jen.Err()))
	default:
		g.Id("b").Op("=").Qual(pkgRuntime, "Append"+kind).Call(jen.Id("b"), x)
	}
}

// emitReadField emits code that reads a field.
func (f *frameEmitter) emitReadField(g *jen.Group, v *ir.Value) {
	x := f.emitOwn("f", v)
	switch {
	case f.stays(v):
		g.Qual(pkgRuntime, "ReadLarge").Call(f.frame(), jen.Id("r"), jen.Op("&").Add(x))
	case fieldKind(v.Type) == "Dense":
		g.Qual(pkgRuntime, "ReadKept").Call(f.frame(), jen.Id("r"), jen.Op("&").Add(x))
	default:
		f.emitRead(g, jen.Id("r"), x, v.Type)
	}
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
	j.Func().Params(f.recv()).Id("Event").Params(jen.Id("cut").Int(), jen.Id("r").Op("*").Qual(pkgRuntime, "Fields")).Error().Block(
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

// fieldKind returns the part of the runtime function's name for the type of a field.
func fieldKind(t ir.Type) string {
	switch {
	case peer.IsOwn(t):
		return "Own"
	case t.Equal(peer.Peers):
		return "Peers"
	case t.Equal(peer.Peer1):
		return "Peer"
	case t.Equal(peer.Address1), peerplan.IsString(t):
		return "Text"
	case peerplan.IsStrings(t):
		return "DenseStrings"
	case peerplan.IsScalar(t):
		return "Scalar"
	}
	return "Dense"
}
