package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/ident"
	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/ir"
)

const pkgTrained = "github.com/bbgen/bbgen/runtime/component/trained"

// emitSlot emits the type of the trainer for a peer's slot.
func (t *trainer) emitSlot(f *jen.File, methods []SlotMethod) {
	f.Comment("Slot is the model in the slot of a peer: its methods take and give the model's own tensors.")
	f.Type().Id("Slot").Struct(jen.Qual(pkgTrained, "Model"))
	f.Comment("Open makes the model begin with the weights of its file.")
	f.Func().Params(jen.Id("s").Op("*").Id("Slot")).Id("Open").Params(jen.Id("env").Qual(pkgRuntime, "Env")).Error().Block(
		jen.Return(jen.Id("s").Dot("Begin").Call(jen.Id("env"), jen.Id("TrainProgram").Call())),
	)
	for _, m := range methods {
		emitSlotMethod(f, m)
	}
}

// emitSlotMethod emits one method of the role:
//
//	func (s *Slot) Forward(ctx context.Context, image tensor.Dense[float32]) (logits tensor.Dense[float32], err error) {
//		if err = s.Infer(ctx, image.Tensor()); err != nil {
//			return
//		}
//		logits = trained.Dense[float32](s.Output(0))
//		return
//	}
func emitSlotMethod(f *jen.File, m SlotMethod) {
	names := ident.NewLocals("s", "ctx", "err", "context", "tensor", "trained")
	in, params := emitSlotValues(names, m.Params)
	out, results := emitSlotValues(names, m.Results)
	args := []jen.Code{jen.Id("ctx")}
	for _, i := range m.plain {
		args = append(args, jen.Id(params[i]))
	}
	for _, n := range m.Numbers {
		n = names.Local(n)
		in, args = append(in, jen.Id(n).Int()), append(args, jen.Id(n))
	}
	for _, i := range m.args {
		args = append(args, emitTensor(params[i], m.Params[i].Type))
	}
	call := jen.Id("s").Dot(m.base).Call(args...)
	f.Comment(m.Doc)
	f.Func().Params(jen.Id("s").Op("*").Id("Slot")).Id(m.Name).
		Params(append([]jen.Code{jen.Id("ctx").Qual("context", "Context")}, in...)...).
		Params(append(out, jen.Err().Error())...).
		BlockFunc(func(g *jen.Group) { m.emitBody(g, call, results) })
}

// emitBody emits a call of the underlying method, and the assignment of the other results.
func (m *SlotMethod) emitBody(g *jen.Group, call *jen.Statement, results []string) {
	if m.result+1 == len(m.Results) && len(m.from) == 0 {
		g.Return(call)
		return
	}
	assigned := []jen.Code{jen.Err()}
	if m.result >= 0 {
		assigned = []jen.Code{jen.Id(results[m.result]), jen.Err()}
	}
	if len(m.from) == 0 {
		g.List(assigned...).Op("=").Add(call)
		g.Return()
		return
	}
	g.If(jen.List(assigned...).Op("=").Add(call), jen.Err().Op("!=").Nil()).Block(jen.Return())
	for i, v := range m.Results {
		if from, ok := m.from[i]; ok {
			g.Id(results[i]).Op("=").Add(from.emit(v.Type))
		}
	}
	g.Return()
}

// emitSlotValues emits parameters or results, and returns their names.
func emitSlotValues(names *ident.Scope, list []SlotValue) (code []jen.Code, ids []string) {
	for _, v := range list {
		id := names.Local(ident.Short(v.Name))
		code, ids = append(code, jen.Id(id).Add(emitValueType(v.Type))), append(ids, id)
	}
	return code, ids
}

// emitTensor emits a parameter as a tensor.
func emitTensor(name string, t ir.Type) *jen.Statement {
	if peerplan.IsScalar(t) {
		return jen.Qual(pkgTensor, "Of").Call(jen.Index().Add(emitElem(t.Elem)).Values(jen.Id(name)))
	}
	return jen.Id(name).Dot("Tensor").Call()
}

// emit emits a result: trained.Dense[float32](s.Output(0)), or its only element.
func (x source) emit(t ir.Type) *jen.Statement {
	if x.method != "" {
		return jen.Id("s").Dot(x.method).Call()
	}
	get := "Output"
	if x.gradient {
		get = "Gradient"
	}
	v := jen.Qual(pkgTrained, "Dense").Types(emitElem(t.Elem)).Call(jen.Id("s").Dot(get).Call(jen.Lit(x.number)))
	if peerplan.IsScalar(t) {
		return v.Dot("Data").Index(jen.Lit(0))
	}
	return v
}
