package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/ir"
)

// stateLayout is where the states of a trainer are, and their initial values. The states that belong to a parameter
// have memory of their own, as a trainer may keep those of some parameters only.
type stateLayout struct {
	owner   map[string]string   // the parameter to which a state belongs, by name
	off     map[*plan.State]int // byte offset in the common memory; of states that belong to a parameter: in the initial values
	memory  int                 // bytes of the common memory
	filled  int                 // bytes of the initial values of that
	initial int                 // bytes of all initial values
}

// layOut places the states of a step. The update is its second half, or nil.
func layOut(step, update *plan.Plan) *stateLayout {
	l := &stateLayout{owner: map[string]string{}, off: map[*plan.State]int{}}
	if update != nil {
		for _, s := range update.States {
			if s.Of != nil {
				l.owner[s.Param.Name] = s.Of.Param.Name
			}
		}
	}
	for _, s := range step.States {
		if l.owner[s.Param.Name] != "" {
			continue
		}
		l.off[s] = l.memory
		if l.memory += s.Bytes(); s.Init != nil {
			l.filled = l.memory
		}
	}
	l.initial = l.filled
	for _, s := range step.States {
		if l.owner[s.Param.Name] != "" && s.Init != nil {
			l.off[s] = l.initial
			l.initial += s.Bytes()
		}
	}
	return l
}

// parametersOf returns the parameters of a step in order.
func parametersOf(p *plan.Plan) (out []*plan.State) {
	for _, s := range p.States {
		if s.Kind == ir.Parameter {
			out = append(out, s)
		}
	}
	return out
}

// emitKeeping emits the method of the state that makes room for what the optimizer keeps of a parameter, or
// releases it:
//
//	s.keeps[parameter] = keeps
//	switch parameter {
//	case 0: // w
//		s.wM = runtime.Kept[float32](keeps, 12, nil)
//	}
func (t *trainer) emitKeeping(f *jen.File) {
	f.Comment("keep allocates the optimizer's initial state of a parameter, or releases it.")
	var cases []jen.Code
	for i, p := range parametersOf(t.Step) {
		if body := t.emitKept(p); body != nil {
			cases = append(cases, jen.Case(jen.Lit(i)).Block(append([]jen.Code{jen.Comment(p.Param.Name)}, body...)...))
		}
	}
	f.Func().Params(jen.Id("s").Op("*").Id("state")).Id("keep").Params(jen.Id("parameter").Int(), jen.Id("keeps").Bool()).BlockFunc(func(g *jen.Group) {
		g.Id("s").Dot("keeps").Index(jen.Id("parameter")).Op("=").Id("keeps")
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
			initial = jen.Id("s").Dot("first").Index(jen.Lit(t.layout.off[s]), jen.Empty())
		}
		n, _ := s.Var.Len.Const()
		body = append(body, jen.Id("s").Dot(t.field(s)).Op("=").Qual(pkgRuntime, "OptimizerState").Index(emitElem(s.Param.Type.Elem)).
			Call(jen.Id("keeps"), jen.Lit(n), initial))
	}
	return body
}

// emitUpdates emits the steps of the second half of a split step that update one parameter:
//
//	if c.s.keeps[0] {
//		cpu.StepSGD(…)
//	}
func (e *emitter) emitUpdates(g *jen.Group, parameter *plan.State, steps []plan.Step) {
	for i, p := range parametersOf(e.p) {
		if p == parameter {
			g.If(jen.Id("c").Dot("s").Dot("keeps").Index(jen.Lit(i))).BlockFunc(func(g *jen.Group) {
				for _, s := range steps {
					e.emitStep(g, s)
				}
			})
		}
	}
}
