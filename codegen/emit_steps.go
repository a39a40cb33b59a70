package codegen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/partitioner"
	"github.com/bbgen/bbgen/runtime"
)

// emitStep emits one step of a block.
func (f *frameEmitter) emitStep(g *jen.Group, s *partitioner.Step) {
	switch {
	case s.Cut != nil && s.Cut.Kind == partitioner.Command:
		g.Id("e").Dot("Start").Call(f.frame(), f.emitCut(s.Cut))
	case s.Fold != nil:
		f.emitFold(g, s)
	case s.Cut != nil && s.Cut.Kind == partitioner.Gather:
		f.emitExpect(g, s.Cut)
	case s.Cut != nil && s.Cut.Kind == partitioner.Local && s.Node == nil:
		g.Id("e").Dot("Bring").Call(f.frame(), f.emitCut(s.Cut))
	case s.Compute != nil:
		emitIfErr(g, f.emitComputeCall(s.Compute))
	default:
		f.emitNode(g, s)
	}
}

// emitNode emits a step for a node.
func (f *frameEmitter) emitNode(g *jen.Group, s *partitioner.Step) {
	switch op.PeerKindOf(s.Node) {
	case op.KindCall, op.KindGather:
		f.emitRoleCall(g, s.Node)
	case op.KindService:
		f.emitService(g, s.Node)
	case op.KindWait:
		f.emitWait(g, s)
	case op.KindFirst:
		if s.Cut != nil && s.Cut.Kind == partitioner.Timer {
			g.Id("e").Dot("After").Call(f.frame(), f.emitCut(s.Cut), jen.Lit(s.Node.Int("deadline_ns")))
			return
		}
		f.emitFirst(g, s)
		if s.Cut != nil {
			g.Id("e").Dot("Bring").Call(f.frame(), f.emitCut(s.Cut))
		}
	case op.KindOrder:
		if s.Node.Out[0] != nil && !peer.IsTrigger(s.Node.Out[0]) {
			f.same(g, s.Node.Out[0], s.Node.In[0])
		}
	case op.KindSend:
		f.emitSend(g, s)
	case op.KindCollective:
		f.emitCollect(g, s)
	case op.KindOpen:
		f.emitOpen(g, s.Node)
	case op.KindEmit:
		f.emitEmit(g, s.Node)
	case op.KindNext:
		f.emitNext(g, s)
	default: // computations, folds and gathers have a branch in emitStep, and a Recv of one peer is a cut point
		panic(fmt.Sprintf("BUG: no way to print a step for %s", s.Node))
	}
}

// emitOpen emits the data of the event that opened the execution:
//
//	peer := f.Cause().Peer
func (f *frameEmitter) emitOpen(g *jen.Group, n *ir.Node) {
	for _, v := range n.Out {
		if !f.opensWith(v) {
			continue
		}
		sender := jen.Id("f").Dot("Cause").Call().Dot("Peer")
		if f.At(v).IsField() {
			f.emitKeep(g, v, sender)
		} else {
			g.Id(f.define(v)).Op(":=").Add(sender)
		}
	}
}

// emitComputeCall emits the call of a computation:
//
//	f.peer.forward.call(f.x, &f.h)
func (f *frameEmitter) emitComputeCall(c *partitioner.Compute) *jen.Statement {
	return jen.Id("f").Dot("peer").Dot(f.Plan.ComputeOf(c).Field).Dot("call").CallFunc(func(g *jen.Group) {
		for _, v := range c.Args {
			switch {
			case v.IsConst() && peerplan.IsScalar(v.Type):
				g.Qual(pkgValues, "Number").Call(f.emitRef(v))
			case peerplan.IsScalar(v.Type):
				g.Op("&").Add(f.emitRef(v))
			default:
				g.Add(f.emitRef(v))
			}
		}
		for _, v := range c.Outs {
			g.Op("&").Add(f.emitRef(v))
		}
	})
}

// emitFold emits a loop over the contributions of peers, in the order of their ranks:
//
//	for _, body := range e.Gathered(&f.Frame, cutUpdates) {
//		c := body.(*updateFrame)
//		if err := f.peer.average.Contribute(c.From(), &c.update, 1); err != nil {
//			if err := e.LeaveOut(&f.Frame, cutUpdates, c.From(), err); err != nil {
//				return err
//			}
//		}
//	}
func (f *frameEmitter) emitFold(g *jen.Group, s *partitioner.Step) {
	f.child = f.e.frameOf(s.Fold)
	defer func() { f.child = nil }()
	cut := f.emitCut(s.Fold.Gather)
	g.For(jen.List(jen.Id("_"), jen.Id("body")).Op(":=").Range().Id("e").Dot("Gathered").Call(f.frame(), cut)).BlockFunc(func(g *jen.Group) {
		g.Id("c").Op(":=").Id("body").Assert(jen.Op("*").Id(f.child.Type))
		call := f.emitMethod(s.Node, f.foldOperands(g, s.Node))
		g.If(jen.Err().Op(":=").Add(call), jen.Err().Op("!=").Nil()).Block(
			jen.If(jen.Err().Op(":=").Id("e").Dot("LeaveOut").Call(f.frame(), cut, jen.Id("c").Dot("From").Call(), jen.Err()), jen.Err().Op("!=").Nil()).Block(
				jen.Return(jen.Err()),
			),
		)
	})
}

// emitFoldTask emits the function with which a command reads the contributions of peers:
//
//	f.Fold(cutAggregate, cutUpdates, func(body runtime.Body) error {
//		c := body.(*updateFrame)
//		return f.peer.average.Contribute(f.peer.env.Done(), c.From(), &c.update, 1)
//	})
func (f *frameEmitter) emitFoldTask(g *jen.Group, command *partitioner.Cut, s *partitioner.Step) {
	f.child = f.e.frameOf(s.Fold)
	defer func() { f.child = nil }()
	g.Id("f").Dot("Fold").Call(f.emitCut(command), f.emitCut(s.Fold.Gather),
		jen.Func().Params(jen.Id("body").Qual(pkgRuntime, "Body")).Error().BlockFunc(func(g *jen.Group) {
			g.Id("c").Op(":=").Id("body").Assert(jen.Op("*").Id(f.child.Type))
			g.Return(f.emitMethod(s.Node, f.foldOperands(g, s.Node)))
		}))
}

// emitExpect emits the start of a gather, with the peers that it waits for:
//
//	e.Expect(&f.Frame, cutUpdates, f.peers, 3, 0, 0) // 3 at least, all until a deadline that adapts
func (f *frameEmitter) emitExpect(g *jen.Group, c *partitioner.Cut) {
	until := c.Within.String()
	if c.Within == 0 {
		until = "a deadline that adapts"
	}
	quorum, least := jen.Lit(c.Quorum), fmt.Sprintf("%d at least, ", c.Quorum)
	if c.Quorum == 0 {
		quorum, least = jen.Len(f.emitPeers(c.Peers)), ""
	}
	g.Id("e").Dot("Expect").Call(f.frame(), f.emitCut(c), f.emitPeers(c.Peers), quorum, jen.Lit(0), emitInt(int64(c.Within))).
		Comment(fmt.Sprintf("%sall until %s", least, until))
}

// emitPeers emits a list of peers.
func (f *frameEmitter) emitPeers(v *ir.Value) *jen.Statement {
	if v.Type.Equal(peer.Peer1) {
		return jen.Index().Qual(pkgWire, "PeerID").Values(f.emitRef(v))
	}
	return f.emitRef(v)
}

// sends maps the ways of sending to methods of the engine.
var sends = map[peerplan.Way]string{peerplan.Copied: "Send", peerplan.Shared: "SendKept", peerplan.Lent: "SendLent", peerplan.Apart: "SendApart"}

// emitSend emits a send to each set of peers that the node names:
//
//	e.SendKept(&f.Frame, edgeServerParams, f.peers, f.params.Memory(), tensor.Raw(f.params.Data), uint64(f.params.Shape[0]))
func (f *frameEmitter) emitSend(g *jen.Group, s *partitioner.Step) {
	v := s.Node.In[0]
	for _, to := range s.Node.In[1:] {
		args := append([]jen.Code{f.frame()}, f.emitApart(g, s)...)
		args = append(args, f.emitEdgeConst(s.Edge), f.emitPeers(to))
		way := f.Way(s)
		if way == peerplan.Shared || way == peerplan.Lent {
			args = append(args, f.emitRef(v).Dot("Memory").Call())
		}
		switch {
		case s.Edge.Trigger:
			args = append(args, jen.Nil())
		case peerplan.IsString(v.Type):
			args = append(args, jen.Index().Byte().Call(f.emitRef(v)))
		case peerplan.IsScalar(v.Type):
			args = append(args, jen.Qual(pkgValues, "AppendScalar").Call(jen.Id("e").Dot("Scratch").Call(), f.emitRef(v)))
		case v.Type.Kind == ir.Tensor:
			data := jen.Qual(pkgTensor, "Raw").Call(f.emitRef(v).Dot("Data"))
			if peerplan.IsStrings(v.Type) {
				data = jen.Qual(pkgValues, "AppendStrings").Call(jen.Id("e").Dot("Scratch").Call(), f.emitRef(v).Dot("Data"))
			}
			args = append(args, data)
			for k, d := range s.Edge.Type.Shape {
				if _, ok := d.Const(); !ok {
					args = append(args, jen.Uint64().Call(f.emitRef(v).Dot("Shape").Index(jen.Lit(k))))
				}
			}
		case peer.IsOwn(v.Type):
			args = append(args, f.emitWritten(g, "AppendOwn", v, jen.Id("e").Dot("Scratch").Call()))
		case v.Type.Equal(peer.Peers):
			args = append(args, jen.Qual(pkgValues, "AppendPeers").Call(jen.Id("e").Dot("Scratch").Call(), f.emitRef(v)))
		case v.Type.Equal(peer.Peer1):
			args = append(args, jen.Qual(pkgValues, "AppendPeer").Call(jen.Id("e").Dot("Scratch").Call(), f.emitRef(v)))
		default:
			args = append(args, jen.Index().Byte().Call(f.emitRef(v)))
		}
		g.Id("e").Dot(sends[way]).Call(args...)
	}
}

// emitApart emits the execution in which a value is sent, if it is not the frame's. The parts of a bundle
// share one:
//
//	apart := e.NewExecution()
func (f *frameEmitter) emitApart(g *jen.Group, s *partitioner.Step) []jen.Code {
	x := jen.Id("e").Dot("NewExecution").Call()
	switch name := f.apart[s.Apart]; {
	case s.Apart == nil:
		return nil
	case s.Apart == s.Node: // not a part of a bundle
		return []jen.Code{x}
	case name == "":
		f.apart[s.Apart] = f.names.Local("apart")
		g.Id(f.apart[s.Apart]).Op(":=").Add(x)
	}
	return []jen.Code{jen.Id(f.apart[s.Apart])}
}

// emitEmit emits a value or event for the host.
func (f *frameEmitter) emitEmit(g *jen.Group, n *ir.Node) {
	p := op.PeerOf(n)
	args := []jen.Code{f.frame(), jen.Lit(n.Str(peer.NameAttr))}
	if p.Told {
		args = append(args, f.emitBoxed(g, n.In[0]))
	}
	g.Id("e").Dot(p.Method).Call(args...)
}

// emitFirst emits the selection of the first value that arrived.
func (f *frameEmitter) emitFirst(g *jen.Group, s *partitioner.Step) {
	v := s.Node.Out[0]
	if v == nil || peer.IsTrigger(v) {
		return
	}
	if !f.At(v).IsField() { // a variable that the cases assign to
		name := f.define(v)
		if name == "_" {
			return
		}
		g.Var().Id(name).Add(emitValueType(v.Type))
	}
	g.Switch().BlockFunc(func(g *jen.Group) {
		for i, c := range s.From {
			g.Case(jen.Id("f").Dot("Ready").Call(f.emitCut(c))).BlockFunc(func(g *jen.Group) {
				if name, ok := f.locals[v]; ok {
					g.Id(name).Op("=").Add(f.emitRef(s.Node.In[i]))
				} else {
					f.emitKeep(g, v, f.emitRef(s.Node.In[i]))
				}
			})
		}
	})
	if came := s.Node.Res(1); came != nil && !f.unread([]*ir.Value{came}) {
		ready := jen.Id("f").Dot("Ready").Call(f.emitCut(s.From[0]))
		if f.At(came).IsField() {
			f.emitKeep(g, came, ready)
		} else {
			g.Id(f.define(came)).Op(":=").Add(ready)
		}
	}
}

// emitNext emits the start of the next round, which is a new execution, or the end of the loop:
//
//	if f.round+1 < 30 && !f.done {
//		if _, err := e.Begin(&f.Frame, moduleServer, tensor.Of([]int64{f.round + 1}), f.params.Tensor()); err != nil {
//			return err
//		}
//	} else {
//		e.Publish(&f.Frame, "done")
//	}
func (f *frameEmitter) emitNext(g *jen.Group, s *partitioner.Step) {
	again := s.Next == f.Module
	args := []jen.Code{f.frame(), jen.Id(f.Plan.FrameOf(s.Next).Const)}
	var round *jen.Statement
	for i := range s.Next.Inputs {
		switch {
		case i > 0 && f.Owns(s.Node.In[i]) && fieldKind(s.Node.In[i].Type) == "Dense":
			args = append(args, f.emitRef(s.Node.In[i]).Dot("Lend").Call())
		case i > 0:
			args = append(args, f.emitBoxed(g, s.Node.In[i]))
		case again:
			round = f.emitRound()
			if !s.Again || s.Next.Short == peer.ShortSkips {
				round.Op("+").Lit(1)
			}
			args = append(args, jen.Qual(pkgTensor, "Of").Call(jen.Index().Int64().Values(round.Clone())))
		default:
			args = append(args, jen.Qual(pkgTensor, "Of").Call(jen.Index().Int64().Values(jen.Lit(0))))
		}
	}
	begin := jen.If(jen.List(jen.Id("_"), jen.Err()).Op(":=").Id("e").Dot("Begin").Call(args...), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
	if !again {
		g.Add(begin)
		return
	}
	if s.Again && s.Next.Short != peer.ShortSkips { // the current round
		g.Add(begin)
		return
	}
	cond := round.Clone().Op("<").Lit(s.Next.Rounds)
	if until := s.Node.Arg(0); until != nil {
		cond = cond.Op("&&").Op("!").Add(f.emitRef(until))
	}
	g.If(cond).Block(begin).Else().Block(jen.Id("e").Dot("Publish").Call(f.frame(), jen.Lit(runtime.LoopDone)))
}
