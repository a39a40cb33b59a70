package codegen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/ir"
)

// emitState emits the type of the state: one slice for each state, in one block of memory. If a step is split, what
// the optimizer keeps of each parameter has memory of its own.
func (t *trainer) emitState(f *jen.File) {
	t.emitStateType(f)
	t.emitNewState(f)
	if t.Update != nil {
		t.emitKeeping(f)
	}
	f.Comment("list is the state by name. The tensors are the state's own memory.")
	t.emitList(f, "list", false)
	if t.Update != nil {
		f.Comment("gradients are the gradients by name. The tensors are the state's own memory.")
		t.emitList(f, "gradients", true)
		t.emitComplete(f)
	}
}

// emitStateType emits the type of the state:
//
//	type state struct {
//		mem []byte    // 64 bytes
//		w   []float32 // float32[4, 2]: a parameter
//	}
func (t *trainer) emitStateType(f *jen.File) {
	f.Comment("state is kept from step to step: parameters, the optimizer's state of each, statistics")
	f.Comment("and counters.")
	f.Type().Id("state").StructFunc(func(g *jen.Group) {
		g.Id("mem").Index().Byte().Comment(fmt.Sprintf("%d bytes", t.layout.memory))
		for _, s := range t.Step.States {
			g.Id(t.field(s)).Add(emitType(s.Param.Type)).Comment(fmt.Sprintf("%s: %s", s.Param.Type, stateDoc(s.Kind)))
		}
		if t.Update != nil {
			g.Id("ready").Func().Params(jen.Int()).Comment("called with each complete gradient; may be nil")
			g.Id("first").Index().Byte().Comment("the initial values")
			g.Id("kept").Index(jen.Lit(len(t.Step.Parameters()))).Index().Qual(pkgModel, "Shard").Comment("by parameter: of which elements the optimizer keeps its state, and updates them")
		}
	})
}

// emitNewState emits the function that makes a state of the initial values:
//
//	func newState(first []byte) *state {
//		s := &state{mem: tensor.Aligned(64)}
//		copy(s.mem, first)
//		s.w = tensor.View[float32](s.mem, 0, 8)
//		return s
//	}
func (t *trainer) emitNewState(f *jen.File) {
	f.Comment("newState returns the state in which a training begins.")
	f.Func().Id("newState").Params(jen.Id("first").Index().Byte()).Op("*").Id("state").BlockFunc(func(g *jen.Group) {
		l := t.layout
		fields, filled := jen.Dict{jen.Id("mem"): jen.Qual(pkgTensor, "Aligned").Call(jen.Lit(l.memory))}, jen.Id("first")
		if t.Update != nil {
			fields[jen.Id("first")] = jen.Id("first")
		}
		if l.filled < l.initial {
			filled = filled.Index(jen.Empty(), jen.Lit(l.filled))
		}
		g.Id("s").Op(":=").Op("&").Id("state").Values(fields)
		g.Copy(jen.Id("s").Dot("mem"), filled)
		for _, s := range t.Step.States {
			if n, _ := s.Var.Len.Const(); l.owner[s.Param.Name] == "" {
				g.Id("s").Dot(t.field(s)).Op("=").Qual(pkgTensor, "View").Index(emitElem(s.Param.Type.Elem)).Call(jen.Id("s").Dot("mem"), jen.Lit(l.off[s]), jen.Lit(n))
			}
		}
		if t.Update != nil {
			g.For(jen.List(jen.Id("i"), jen.Id("n")).Op(":=").Range().Index(jen.Op("...")).Int().ValuesFunc(func(g *jen.Group) {
				for _, p := range t.Step.Parameters() {
					n, _ := p.Var.Len.Const()
					g.Lit(n)
				}
			})).Block(jen.Id("s").Dot("keep").Call(jen.Id("i"), jen.Index().Qual(pkgModel, "Shard").Values(jen.Values(jen.Id("To").Op(":").Id("n")))))
		}
		g.Return(jen.Id("s"))
	})
}

// emitList emits the method that lists the gradients, or all other states.
func (t *trainer) emitList(f *jen.File, name string, gradients bool) {
	f.Func().Params(jen.Id("s").Op("*").Id("state")).Id(name).Params().Index().Qual(pkgModel, "Variable").Block(
		jen.Return(jen.Index().Qual(pkgModel, "Variable").CustomFunc(multiline, func(g *jen.Group) {
			for _, s := range t.Step.States {
				if (s.Kind == ir.Gradient) != gradients {
					continue
				}
				args := []jen.Code{jen.Id("s").Dot(t.field(s))}
				for _, d := range s.Param.Type.Shape {
					args = append(args, t.step.emitDim(d))
				}
				value := jen.Qual(pkgTensor, "Of").Call(args...)
				fields := []jen.Code{jen.Id("Name").Op(":").Lit(s.Param.Name), jen.Id("Kind").Op(":").Qual(pkgModel, variableKind(s.Kind))}
				if of := t.layout.owner[s.Param.Name]; of != "" {
					fields = append(fields, jen.Id("Of").Op(":").Lit(of))
					value = jen.Qual(pkgModel, "IfKept").Call(args...)
				}
				g.Values(append(fields, jen.Id("Value").Op(":").Add(value))...)
			}
		})),
	)
}

// emitKeeping emits the method of the state that makes room for what the optimizer keeps of a parameter:
//
//	was := s.kept[parameter]
//	s.kept[parameter] = shards
//	switch parameter {
//	case 0: // w
//		s.wM = model.OptimizerState(s.wM, was, shards, nil)
//	}
func (t *trainer) emitKeeping(f *jen.File) {
	f.Comment("keep sets the elements of a parameter of which the optimizer keeps its state. Those that it kept before")
	f.Comment("keep their values, others begin with their initial ones.")
	var cases []jen.Code
	for i, p := range t.Step.Parameters() {
		if body := t.emitKept(p); body != nil {
			cases = append(cases, jen.Case(jen.Lit(i)).Block(append([]jen.Code{jen.Comment(lineOf(p.Param.Name))}, body...)...))
		}
	}
	f.Func().Params(jen.Id("s").Op("*").Id("state")).Id("keep").Params(jen.Id("parameter").Int(), jen.Id("shards").Index().Qual(pkgModel, "Shard")).BlockFunc(func(g *jen.Group) {
		if cases != nil {
			g.Id("was").Op(":=").Id("s").Dot("kept").Index(jen.Id("parameter"))
		}
		g.Id("s").Dot("kept").Index(jen.Id("parameter")).Op("=").Id("shards")
		if cases != nil {
			g.Switch(jen.Id("parameter")).Block(cases...)
		}
	})
}

// emitKept emits the assignments of a parameter's states.
func (t *trainer) emitKept(p *plan.State) (body []jen.Code) {
	for _, s := range t.Step.States {
		if t.layout.owner[s.Param.Name] != p.Param.Name {
			continue
		}
		initial := jen.Nil()
		if s.Init != nil {
			initial = jen.Id("s").Dot("first").Index(jen.Lit(t.layout.off[s]), jen.Lit(t.layout.off[s]+s.Bytes()))
		}
		field := jen.Id("s").Dot(t.field(s))
		body = append(body, field.Clone().Op("=").Qual(pkgModel, "OptimizerState").Call(field, jen.Id("was"), jen.Id("shards"), initial))
	}
	return body
}

// emitComplete emits the method of the state that reports complete gradients.
func (t *trainer) emitComplete(f *jen.File) {
	f.Comment("complete lists the gradients that do not change any more in this step.")
	f.Func().Params(jen.Id("s").Op("*").Id("state")).Id("complete").Params(jen.Id("gradients").Op("...").Int()).Block(
		jen.If(jen.Id("s").Dot("ready").Op("==").Nil()).Block(jen.Return()),
		jen.For(jen.List(jen.Id("_"), jen.Id("i")).Op(":=").Range().Id("gradients")).Block(jen.Id("s").Dot("ready").Call(jen.Id("i"))),
	)
}

// stateDoc describes the purpose of a kind of state.
func stateDoc(k ir.StateKind) string {
	switch k {
	case ir.OptimizerSlot:
		return "the optimizer's"
	case ir.RandomCounter:
		return "position in the random stream"
	}
	return string(k)
}

// variableKind returns the runtime's name for a kind of state.
func variableKind(k ir.StateKind) string {
	switch k {
	case ir.Parameter:
		return "Weight"
	case ir.Statistic:
		return "Buffer"
	case ir.Average:
		return "Average"
	}
	return "Private"
}

// emitWeights emits the constants of all parts, read from one embedded file.
func (t *trainer) emitWeights(f *jen.File) {
	emitWeightsFile(f, "holds the constants, and from firstState on what the states begin with")
	f.Const().Defs(
		jen.Id("weightBytes").Op("=").Lit(t.weightsFile().Len),
		jen.Id("firstState").Op("=").Lit(t.begin),
	)
	for _, p := range t.parts {
		p.emitConstants(f)
	}
}
