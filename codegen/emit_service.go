package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/partitioner"
)

// emitService emits a call of an engine method:
//
//	f.peers = e.Peers(f.peers[:0], "client")
//	now := e.Now()
func (f *frameEmitter) emitService(g *jen.Group, n *ir.Node) {
	p := op.PeerOf(n)
	if p.Held {
		f.emitEncoded(g, n)
		return
	}
	operands, outs := n.In, n.Out
	if p.Pass {
		operands, outs = n.In[1:], n.Out[1:]
		defer f.same(g, n.Out[0], n.In[0])
	}
	args := f.serviceArgs(n, operands)
	on := f.receiver(n)
	var v *ir.Value
	for _, x := range outs {
		if x != nil && !peer.IsTrigger(x) {
			v = x
		}
	}
	if v != nil && v.Type.Equal(peer.Peers) { // the method appends to a list
		g.Add(f.emitOwn("f", v)).Op("=").Add(on).Dot(p.Method).Call(append([]jen.Code{f.emitOwn("f", v).Index(jen.Op(":").Lit(0))}, args...)...)
		return
	}
	call := on.Dot(p.Method).Call(args...)
	switch {
	case p.Fails:
		f.emitCallOf(g, n1(outs), call)
	case v == nil || f.unread([]*ir.Value{v}):
		g.Add(call)
	case f.At(v).IsField():
		f.emitKeep(g, v, call)
	default:
		g.Id(f.define(v)).Op(":=").Add(call)
	}
}

// n1 returns a node that has only outputs.
func n1(outs []*ir.Value) *ir.Node { return &ir.Node{Out: outs} }

// emitEncoded emits code that puts a value into a store, or takes one out:
//
//	f.peer.last.Stash(e, values.AppendDense(f.peer.last.Buffer(), f.x))
func (f *frameEmitter) emitEncoded(g *jen.Group, n *ir.Node) {
	p := op.PeerOf(n)
	on := f.receiver(n)
	if x := n.Arg(0); x != nil && !peer.IsTrigger(x) {
		value := on.Clone().Dot("Buffer").Call()
		switch v := x; {
		case peer.IsOwn(v.Type):
			value = f.emitWritten(g, "EncodeOwn", v, value)
		case peerplan.CanKeep(v.Type):
			value = jen.Qual(pkgValues, "Append"+fieldKind(v.Type)).Call(value, f.emitRef(v))
		}
		g.Add(on).Dot(p.Method).Call(jen.Id("e"), value)
		return
	}
	take := on.Dot(p.Method).Call(jen.Id("e"))
	v := n.Out[0]
	if v == nil || f.unread([]*ir.Value{v}) {
		g.If(jen.List(jen.Id("_"), jen.Err()).Op(":=").Add(take), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
		return
	}
	held := f.names.Local("held")
	g.List(jen.Id(held), jen.Err()).Op(":=").Add(take)
	g.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
	f.emitRead(g, jen.Id(held), f.emitOwn("f", v), v.Type)
	emitIfErr(g, jen.Id(held).Dot("End").Call())
}

// emitRead emits code that decodes a field in the format of snapshots.
func (f *frameEmitter) emitRead(g *jen.Group, from, to *jen.Statement, t ir.Type) {
	switch kind := fieldKind(t); kind {
	case "Dense", "Scalar", "DenseStrings", "Own":
		g.Qual(pkgValues, "Read"+kind).Call(from, jen.Op("&").Add(to))
	case "Text":
		g.Add(to).Op("=").Add(from).Dot("Text").Call()
	default:
		g.Add(from).Dot(kind).Call(jen.Op("&").Add(to))
	}
}

// serviceArgs returns the arguments of a service: the node for a store, the frame, the operands, and the
// attributes.
func (f *frameEmitter) serviceArgs(n *ir.Node, operands []*ir.Value) []jen.Code {
	p := op.PeerOf(n)
	var args []jen.Code
	if p.State != "" {
		args = append(args, jen.Id("e"))
	}
	if p.Frame {
		args = append(args, f.frame())
	}
	for _, v := range operands {
		switch {
		case v == nil || peer.IsTrigger(v):
		case p.Decimal:
			args = append(args, jen.Float64().Call(f.emitRef(v)))
		default:
			args = append(args, f.emitRef(v))
		}
	}
	for _, name := range p.Config {
		args = append(args, emitConfig(n, name))
	}
	return args
}

// receiver returns the receiver of a service's method: the node, or a store.
func (f *frameEmitter) receiver(n *ir.Node) *jen.Statement {
	if s := f.Plan.StoreOf(n); s != nil {
		return jen.Id("f").Dot("peer").Dot(s.Field)
	}
	return jen.Id("e")
}

// emitWait emits an engine call with a result that arrives later:
//
//	e.After(&f.Frame, cutPause, 1000000000)
func (f *frameEmitter) emitWait(g *jen.Group, s *partitioner.Step) {
	n, p := s.Node, op.PeerOf(s.Node)
	args := []jen.Code{f.frame(), f.emitCut(s.Cut)}
	if p.State != "" {
		args = append([]jen.Code{jen.Id("e")}, args...)
	}
	operands := n.In
	if p.Pass {
		operands = n.In[1:]
		if v := n.Out[0]; f.At(v).IsField() {
			f.emitKeep(g, v, f.emitRef(n.In[0]))
		}
	}
	for _, v := range operands {
		if v != nil && !peer.IsTrigger(v) {
			args = append(args, f.emitRef(v))
		}
	}
	for _, name := range p.Config {
		args = append(args, emitConfig(n, name))
	}
	g.Add(f.receiver(n)).Dot(p.Method).Call(args...)
}
