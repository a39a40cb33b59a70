package codegen

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// emitRoleCall emits the call of a component's method, directly or in a command:
//
//	mean, err := f.peer.average.Aggregate()
//	if err != nil {
//		return err
//	}
func (f *frameEmitter) emitRoleCall(g *jen.Group, n *ir.Node) {
	if op.PeerOf(n).Model.Has(op.EachBatch) {
		f.emitTrainSteps(g, n)
		return
	}
	if op.PeerOf(n).Graph {
		f.emitRunGraph(g, n)
		return
	}
	f.emitCallOf(g, n, f.emitMethod(n, f.operands(n)))
}

// emitOnlyCall emits the call of a method that returns only an error. It returns nil for other methods.
func (f *frameEmitter) emitOnlyCall(n *ir.Node) *jen.Statement {
	if op.PeerOf(n).Model.Has(op.EachBatch) || op.PeerOf(n).Graph || len(results(n)) > 0 {
		return nil
	}
	return f.emitMethod(n, f.operands(n))
}

// results returns the outputs of a node that its method returns, without triggers.
func results(n *ir.Node) []*ir.Value {
	var out []*ir.Value
	for _, v := range n.Out {
		if v == nil || !peer.IsTrigger(v) {
			out = append(out, v)
		}
	}
	return out
}

// emitMethod emits the call of a method without the handling of its results.
func (f *frameEmitter) emitMethod(n *ir.Node, operands []jen.Code) *jen.Statement {
	slot, p := f.Plan.SlotOf(n), op.PeerOf(n)
	method := p.Method
	if method == "" {
		method = n.Str("method")
	}
	var args []jen.Code
	m := slot.Methods[method]
	switch {
	case m.Context:
		args = append(args, jen.Id("f").Dot("peer").Dot("env").Dot("Done").Call())
	case m.Peer:
		args = append(args, jen.Id("e").Dot("Peer").Call())
	}
	if p.Sender {
		args = append(args, jen.Id("c").Dot("From").Call())
	}
	args = append(args, operands...)
	if p.Weight && len(n.In) < 2 {
		args = append(args, jen.Lit(1))
	}
	for _, name := range p.Config {
		args = append(args, emitConfig(n, name))
	}
	return jen.Id("f").Dot("peer").Dot(slot.Field).Dot(method).Call(args...)
}

// emitConfig emits an attribute as an argument.
func emitConfig(n *ir.Node, name string) *jen.Statement {
	switch v := n.Attrs.Lookup(name).(type) {
	case int64:
		return emitInt(v)
	case float64:
		return emitFloat(v)
	case string:
		return jen.Lit(v)
	case nil:
		return jen.Lit(0)
	default:
		panic(fmt.Sprintf("BUG: %v: no way to print attribute %s of type %T", n, name, v))
	}
}

// operands returns the inputs of a node as arguments, without triggers.
func (f *frameEmitter) operands(n *ir.Node) []jen.Code {
	var out []jen.Code
	for _, v := range n.In {
		if v != nil && !peer.IsTrigger(v) {
			out = append(out, f.emitRef(v))
		}
	}
	return out
}

// emitCallOf emits a call that returns the outputs of a node, without triggers, and an error.
func (f *frameEmitter) emitCallOf(g *jen.Group, n *ir.Node, call *jen.Statement) {
	outs := results(n)
	if f.unread(outs) {
		left := jen.Err()
		if len(outs) > 0 {
			left = jen.List(append(blanks(len(outs)), jen.Err())...)
		}
		g.If(left.Op(":=").Add(call), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
		return
	}
	names := make([]jen.Code, len(outs))
	for i, v := range outs {
		names[i] = jen.Id(f.define(v))
	}
	g.List(append(names, jen.Err())...).Op(":=").Add(call)
	g.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
	for i, v := range outs {
		if f.At(v).IsField() {
			f.emitKeep(g, v, jen.Add(names[i]))
		}
	}
}

func blanks(n int) []jen.Code {
	out := make([]jen.Code, n)
	for i := range out {
		out[i] = jen.Id("_")
	}
	return out
}

// emitTrainSteps emits the loop of a command that trains:
//
//	for range 10 {
//		x, labels, err := f.peer.data.NextBatch()
//		if err != nil {
//			return err
//		}
//		if f.loss, err = f.peer.model.TrainStep(ctx, x, labels); err != nil {
//			return err
//		}
//	}
func (f *frameEmitter) emitTrainSteps(g *jen.Group, n *ir.Node) {
	model, data := f.Plan.SlotOf(n), f.Plan.Slot(n.Str("data"))
	var ctx, node []jen.Code
	if model.Methods["TrainStep"].Context {
		ctx = []jen.Code{jen.Id("f").Dot("peer").Dot("env").Dot("Done").Call()}
	}
	if data.Methods["NextBatch"].Context {
		node = []jen.Code{jen.Id("f").Dot("peer").Dot("env").Dot("Done").Call()}
	}
	loss := jen.Id("_")
	if v := n.Res(0); f.At(v).IsField() {
		loss = f.emitOwn("f", v)
	}
	var batch []jen.Code
	for _, name := range batchNames(data.Methods["NextBatch"].Results) {
		batch = append(batch, jen.Id(name))
	}
	g.For(jen.Range().Lit(n.Int("steps"))).Block(
		jen.List(append(slices.Clone(batch), jen.Err())...).Op(":=").Id("f").Dot("peer").Dot(data.Field).Dot("NextBatch").Call(node...),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())),
		jen.If(
			jen.List(loss, jen.Err()).Op("=").Id("f").Dot("peer").Dot(model.Field).Dot("TrainStep").Call(append(ctx, batch...)...),
			jen.Err().Op("!=").Nil(),
		).Block(jen.Return(jen.Err())),
	)
}

// batchNames returns the names of the n tensors of a batch: inputs of the model, followed by targets.
func batchNames(n int) []string {
	if n <= 2 {
		return []string{"batch", "labels"}
	}
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("part%d", i)
	}
	return out
}
