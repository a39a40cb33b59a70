package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/partitioner"
)

// emitModules emits the tables of cut points and blocks.
func (e *partitionEmitter) emitModules() *jen.Statement {
	return jen.Index().Qual(pkgRuntime, "Module").CustomFunc(multiline, func(g *jen.Group) {
		for _, f := range e.frames {
			g.Id(f.Const).Op(":").Custom(multiline, f.emitModule()...)
		}
	})
}

// emitModule emits the fields of a module.
func (f *frameEmitter) emitModule() []jen.Code {
	m := f.Module
	out := []jen.Code{
		jen.Id("Name").Op(":").Lit(m.Name),
		jen.Id("New").Op(":").Func().Params().Qual(pkgRuntime, "Body").Block(jen.Return(jen.Op("&").Id(f.Type).Values(jen.Id("peer").Op(":").Id("p")))),
		jen.Id("Blocks").Op(":").Index().Qual(pkgRuntime, "Block").CustomFunc(multiline, func(g *jen.Group) {
			for _, b := range f.Blocks {
				g.Id(b.Const).Op(":").Add(f.emitBlockRow(b))
			}
		}),
	}
	if len(m.Cuts) > 0 {
		out = append(out, jen.Id("Cuts").Op(":").Index().Qual(pkgRuntime, "Cut").CustomFunc(multiline, func(g *jen.Group) {
			for _, c := range m.Cuts {
				g.Add(f.emitCut(c)).Op(":").Add(f.emitCutRow(c))
			}
		}))
	}
	if len(m.Inputs) > 0 {
		out = append(out, jen.Id("Inputs").Op(":").Index().Int().ValuesFunc(func(g *jen.Group) {
			for _, c := range m.Inputs {
				g.Add(f.emitCut(c))
			}
		}))
	}
	if answers := f.Plan.Part.Program.Answers(f.Plan.Part, m); len(m.Inputs) > 0 && len(answers) > 0 {
		out = append(out, jen.Id("Answers").Op(":").Index().Int().ValuesFunc(func(g *jen.Group) {
			for _, a := range answers {
				g.Id(f.Plan.FrameOf(a).Const)
			}
		}))
	}
	return append(out, f.emitOpening()...)
}

// emitOpening emits the fields of a module that describe what opens its executions.
func (f *frameEmitter) emitOpening() (out []jen.Code) {
	m := f.Module
	if m.Parent != nil {
		out = append(out, jen.Id("Child").Op(":").True(), jen.Id("Parent").Op(":").Id(f.Plan.FrameOf(m.Parent).Const), jen.Id("ParentCut").Op(":").Add(f.emitCut(m.Gather)))
	}
	if m.Rounds > 0 {
		out = append(out, jen.Id("Loop").Op(":").True())
	}
	if m.Short != "" {
		out = append(out, jen.Id("Short").Op(":").Qual(pkgRuntime, shortPolicies[m.Short]), jen.Id("Again").Op(":").Add(f.emitCut(m.Again)))
		if m.Patience > 0 {
			out = append(out, jen.Id("Patience").Op(":").Add(emitInt(int64(m.Patience))))
		}
	}
	if m.Start {
		out = append(out, jen.Id("Start").Op(":").True())
	}
	if m.Bootstrap {
		out = append(out, jen.Id("Bootstrap").Op(":").True())
	}
	if m.Every > 0 {
		out = append(out, jen.Id("Every").Op(":").Add(emitInt(int64(m.Every)).Comment("/* "+m.Every.String()+" */")))
	}
	if len(m.On) > 0 {
		out = append(out, jen.Id("On").Op(":").Index().Qual(pkgRuntime, "EventKind").ValuesFunc(func(g *jen.Group) {
			for _, k := range m.On {
				g.Qual(pkgRuntime, k)
			}
		}))
	}
	if m.Open != nil && op.OpensOf(m.Open) == op.OpensOnPhase {
		out = append(out, jen.Id("Named").Op(":").Lit(m.Open.Str(peer.PhaseAttr)))
	}
	return out
}

// shortPolicies maps reactions to a round without a quorum to the runtime's names.
var shortPolicies = map[string]string{peer.ShortSkips: "ShortSkips", peer.ShortRepeats: "ShortRepeats", peer.ShortWaits: "ShortWaits"}

// emitBlockRow emits the row of a block.
func (f *frameEmitter) emitBlockRow(b *peerplan.Block) *jen.Statement {
	return jen.ValuesFunc(func(g *jen.Group) {
		g.Id("Name").Op(":").Lit(b.Name)
		f.emitCuts(g, "Wait", b.Wait)
		if b.Any {
			g.Id("Any").Op(":").True()
		}
		f.emitCuts(g, "Starts", b.Starts)
		f.emitSendings(g, b)
		if len(b.Needs) > 0 {
			g.Id("Needs").Op(":").Index().Int().ValuesFunc(func(g *jen.Group) {
				for _, needed := range b.Needs {
					g.Id(f.Blocks[needed.Index].Const)
				}
			})
		}
		g.Id("Ops").Op(":").Lit(max(b.Ops, 1))
	})
}

// receivers maps the receivers of values to the runtime's names.
var receivers = map[partitioner.Receivers]string{
	partitioner.ToSender: "ToSender", partitioner.ToClass: "ToClass", partitioner.ToInTurn: "ToInTurn", partitioner.ToSelf: "ToSelf", partitioner.ToSome: "ToSome",
}

// emitSendings emits the edges on which a block sends, as a field of its row:
//
//	Sends: []runtime.Sending{{Edge: edgeClientUpdate, To: runtime.ToClass, Class: "server"}}
func (f *frameEmitter) emitSendings(g *jen.Group, b *peerplan.Block) {
	list := f.Module.Sendings(b.Block)
	if len(list) == 0 {
		return
	}
	g.Id("Sends").Op(":").Index().Qual(pkgRuntime, "Sending").ValuesFunc(func(g *jen.Group) {
		for _, s := range list {
			g.ValuesFunc(func(g *jen.Group) {
				g.Id("Edge").Op(":").Id(f.Plan.EdgeConst(s.Edge))
				g.Id("To").Op(":").Qual(pkgRuntime, receivers[s.To])
				if s.Cut != nil {
					g.Id("Cut").Op(":").Add(f.emitCut(s.Cut))
				}
				if s.Class != "" {
					g.Id("Class").Op(":").Lit(s.Class)
				}
			})
		}
	})
}

// emitCuts emits a set of cut points as fields of a row. Cut points from number 64 on are in a list:
//
//	Wait: 1<<cutRound | 1<<cutModel, AlsoWait: []int{cutUpdates}
func (f *frameEmitter) emitCuts(g *jen.Group, field string, cuts []*partitioner.Cut) {
	mask := jen.Null()
	var also []jen.Code
	for i, c := range cuts {
		if c.Index >= peerplan.MaskBits {
			also = append(also, f.emitCut(c))
			continue
		}
		if i > len(also) {
			mask.Op("|")
		}
		mask.Lit(1).Op("<<").Add(f.emitCut(c))
	}
	if len(cuts) > len(also) {
		g.Id(field).Op(":").Add(mask)
	}
	if len(also) > 0 {
		g.Id("Also" + field).Op(":").Index().Int().Values(also...)
	}
}

// cutKinds maps kinds of cut points to the runtime's names.
var cutKinds = map[partitioner.CutKind]string{
	partitioner.Input: "InputCut", partitioner.Fill: "FillCut", partitioner.Gather: "GatherCut", partitioner.Command: "CommandCut",
	partitioner.Timer: "TimerCut", partitioner.Event: "EventCut", partitioner.Local: "LocalCut", partitioner.Together: "CollectiveCut",
}

// emitCutRow emits the row of a cut point.
func (f *frameEmitter) emitCutRow(c *partitioner.Cut) *jen.Statement {
	return jen.ValuesFunc(func(g *jen.Group) {
		g.Id("Kind").Op(":").Qual(pkgRuntime, cutKinds[c.Kind])
		g.Id("Name").Op(":").Lit(f.Plan.CutName(c))
		if c.Kind == partitioner.Command {
			g.Id("Slot").Op(":").Lit(f.Plan.QueueOf(c))
		}
		if c.Kind == partitioner.Fill && c.Within > 0 {
			g.Id("Within").Op(":").Add(emitInt(int64(c.Within))).Comment("/* " + c.Within.String() + " */")
		}
	})
}
