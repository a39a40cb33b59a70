package codegen

import (
	"reflect"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/partitioner"
	"github.com/bbgen/bbgen/runtime"
)

// stateNames are what the engine keeps for the program under a name.
type stateNames struct {
	typ, name, field string
	elem             *ir.Value // what it holds, if its type is generic
}

// emitService emits a call of the engine, as its Go method takes it:
//
//	f.peers = n.Peers(f.peers[:0], "client")
//	now := n.Now()
func (f *frameEmitter) emitService(g *jen.Group, n *ir.Node) {
	p := peerOp(n)
	operands, outs := n.In, n.Out
	if p.Pass {
		operands, outs = n.In[1:], n.Out[1:]
		defer f.same(g, n.Out[0], n.In[0])
	}
	args := f.serviceArgs(n, operands)
	on := f.receiver(n)
	m, known := f.method(n)
	var v *ir.Value
	for _, x := range outs {
		if x != nil && !isTrigger(x) {
			v = x
		}
	}
	fails := known && m.NumOut() > 0 && m.Out(m.NumOut()-1) == errorType
	if v != nil && v.Type.Equal(op.Peers) && known && appends(m) {
		g.Add(f.emitOwn("f", v)).Op("=").Add(on).Dot(p.Method).Call(append([]jen.Code{f.emitOwn("f", v).Index(jen.Op(":").Lit(0))}, args...)...)
		return
	}
	call := on.Dot(p.Method).Call(args...)
	switch {
	case fails:
		f.emitCallOf(g, n1(outs), call)
	case v == nil || f.unread([]*ir.Value{v}):
		g.Add(call)
	case f.fields[v] != "":
		f.emitKeep(g, v, call)
	default:
		g.Id(f.define(v)).Op(":=").Add(call)
	}
}

// n1 is a node of outputs alone.
func n1(outs []*ir.Value) *ir.Node { return &ir.Node{Out: outs} }

// serviceArgs are the arguments of a service: its frame, the operands, the
// attributes.
func (f *frameEmitter) serviceArgs(n *ir.Node, operands []*ir.Value) []jen.Code {
	p := peerOp(n)
	var args []jen.Code
	if p.Frame {
		args = append(args, f.frame())
	}
	for _, v := range operands {
		if v != nil && !isTrigger(v) {
			args = append(args, f.emitRef(v))
		}
	}
	for _, name := range p.Config {
		args = append(args, emitConfig(n, name))
	}
	return args
}

// receiver is what a service is a method of.
func (f *frameEmitter) receiver(n *ir.Node) *jen.Statement { return jen.Id("n") }

var errorType = reflect.TypeFor[error]()

// method is the Go method of the engine behind a service.
func (f *frameEmitter) method(n *ir.Node) (reflect.Type, bool) {
	m, ok := reflect.TypeFor[*runtime.Node]().MethodByName(peerOp(n).Method)
	if !ok {
		return nil, false
	}
	return m.Type, true
}

// appends reports whether a method appends to its first argument and returns
// that.
func appends(m reflect.Type) bool {
	return m.NumIn() > 1 && m.NumOut() > 0 && m.In(1) == m.Out(0) && m.In(1).Kind() == reflect.Slice
}

// emitWait emits a call of the engine whose result comes later:
//
//	n.After(&f.Frame, 2, 1000000000)
func (f *frameEmitter) emitWait(g *jen.Group, s *partitioner.Step) {
	n, p := s.Node, peerOp(s.Node)
	args := []jen.Code{f.frame(), jen.Lit(s.Cut.Index)}
	operands := n.In
	if p.Pass {
		operands = n.In[1:]
		if v := n.Out[0]; f.fields[v] != "" {
			f.emitKeep(g, v, f.emitRef(n.In[0]))
		}
	}
	for _, v := range operands {
		if v != nil && !isTrigger(v) {
			args = append(args, f.emitRef(v))
		}
	}
	for _, name := range p.Config {
		args = append(args, emitConfig(n, name))
	}
	g.Add(f.receiver(n)).Dot(p.Method).Call(args...)
}

func (s *stateNames) emitType() *jen.Statement { return jen.Qual(pkgRuntime, s.typ) }
