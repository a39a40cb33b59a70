package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/ir"
)

// emitTensors emits the model's API for commands, which uses tensors instead of typed fields.
func (e *emitter) emitTensors(f *jen.File) {
	e.emitProgram(f)
	e.emitSession(f)
	e.emitSetInput(f)
	e.emitOutput(f)
}

func (e *emitter) emitProgram(f *jen.File) {
	f.Comment("Program describes the model to commands that use only its tensors.")
	f.Func().Id("Program").Params().Qual(pkgModel, "Program").Block(
		jen.Return(jen.Qual(pkgModel, "Program").Values(e.program(jen.Dict{
			jen.Id("Name"):    jen.Lit(e.m.Name),
			jen.Id("Source"):  jen.Lit(e.opt.Source),
			jen.Id("Inputs"):  e.emitPorts(e.p.Inputs),
			jen.Id("Outputs"): e.emitPorts(e.p.Outputs),
			jen.Id("Arena"):   jen.Lit(e.p.Arena),
			jen.Id("Weights"): jen.Id("weightBytes"),
			jen.Id("New"):     jen.Id("newSession"),
		}))),
	)
}

// program adds the fields that only some programs have.
func (e *emitter) program(fields jen.Dict) jen.Dict {
	if e.calls("imagedec.Measure") {
		fields[jen.Id("MaxPixels")] = jen.Qual(pkgCPU+"/imagedec", "SetMaxPixels")
	}
	return fields
}

func (e *emitter) emitPorts(ports []*plan.Port) *jen.Statement {
	return jen.Index().Qual(pkgModel, "Port").CustomFunc(multiline, func(g *jen.Group) {
		for _, p := range ports {
			t := p.Value.Type
			d := []jen.Code{jen.Id("Name").Op(":").Lit(p.Value.Name), jen.Id("Type").Op(":").Lit(t.String())}
			switch t.Kind {
			case ir.Map:
				d = append(d, jen.Id("Key").Op(":").Qual(pkgTensor, dtypeConst(t.Key)))
				d = append(d, jen.Id("Elem").Op(":").Qual(pkgTensor, dtypeConst(t.Of.Elem)))
			case ir.Tensor:
				d = append(d, jen.Id("Elem").Op(":").Qual(pkgTensor, dtypeConst(t.Elem)))
				d = append(d, jen.Id("Dims").Op(":").Index().String().ValuesFunc(func(g *jen.Group) {
					for _, x := range t.Shape {
						g.Lit(x.String())
					}
				}))
			}
			g.Values(d...)
		}
	})
}

// multiline formats a composite literal with one element per line.
var multiline = jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}

func (e *emitter) emitSession(f *jen.File) {
	f.Comment("session runs the model on tensors.")
	f.Type().Id("session").Struct(jen.Id("m").Op("*").Id("Model"), jen.Id("in").Id("Inputs"), jen.Id("out").Id("Outputs"))
	f.Func().Id("newSession").Params().Params(jen.Qual(pkgModel, "Session"), jen.Error()).Block(
		jen.List(jen.Id("m"), jen.Err()).Op(":=").Id("New").Call(),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err())),
		jen.Return(jen.Op("&").Id("session").Values(jen.Dict{jen.Id("m"): jen.Id("m")}), jen.Nil()),
	)
	f.Comment("Run computes the outputs from the inputs set before.")
	f.Func().Params(jen.Id("s").Op("*").Id("session")).Id("Run").Params().Error().Block(
		jen.Return(jen.Id("s").Dot("m").Dot("Run").Call(jen.Op("&").Id("s").Dot("in"), jen.Op("&").Id("s").Dot("out"))),
	)
}

func (e *emitter) emitSetInput(f *jen.File) {
	f.Comment("SetInput makes v input i of the next run; sizes that vary are taken from its shape.")
	emitInputSetter(f, e.p.Inputs, e.emitAssign)
}

// emitInputSetter emits the method that sets an input by its number.
func emitInputSetter(f *jen.File, inputs []*plan.Port, assign func(p *plan.Port) *jen.Statement) {
	f.Func().Params(jen.Id("s").Op("*").Id("session")).Id("SetInput").Params(jen.Id("i").Int(), jen.Id("v").Qual(pkgTensor, "Value")).Error().BlockFunc(func(g *jen.Group) {
		var cases []jen.Code
		for i, p := range inputs {
			cases = append(cases, jen.Case(jen.Lit(i)).Block(jen.Comment(lineOf(p.Value.Name)), jen.Return(assign(p))))
		}
		if cases != nil {
			g.Switch(jen.Id("i")).Block(cases...)
		}
		g.Return(jen.Qual("fmt", "Errorf").Call(jen.Lit("there is no input %d"), jen.Id("i")))
	})
}

// emitAssign emits the check and assignment of one input:
//
//	values.Assign(&s.in.X, v, values.Varies(&s.in.Batch), values.Fixed(784))
func (e *emitter) emitAssign(p *plan.Port) *jen.Statement {
	field := jen.Op("&").Id("s").Dot(e.holder()).Dot(e.ins[p])
	switch p.Value.Type.Kind {
	case ir.Sequence:
		return jen.Qual(pkgValues, "AssignSequence").Call(field, jen.Id("v"))
	case ir.Optional:
		return jen.Qual(pkgValues, "AssignOptional").Call(field, jen.Id("v"))
	case ir.Map:
		t := p.Value.Type
		return jen.Qual(pkgValues, "AssignMap").Call(field, jen.Id("v"), jen.Qual(pkgTensor, dtypeConst(t.Key)), jen.Qual(pkgTensor, dtypeConst(t.Of.Elem)))
	}
	args := []jen.Code{field, jen.Id("v")}
	for _, d := range p.Value.Type.Shape {
		if s, ok := d.Symbol(); ok {
			args = append(args, jen.Qual(pkgValues, "Varies").Call(jen.Op("&").Id("s").Dot(e.holder()).Dot(e.field[s])))
			continue
		}
		n, _ := d.Const()
		args = append(args, jen.Qual(pkgValues, "Fixed").Call(jen.Lit(n)))
	}
	return jen.Qual(pkgValues, "Assign").Call(args...)
}

func (e *emitter) emitOutput(f *jen.File) {
	f.Comment("Output is output i of the last run; the next run overwrites it.")
	f.Func().Params(jen.Id("s").Op("*").Id("session")).Id("Output").Params(jen.Id("i").Int()).Qual(pkgTensor, "Value").Block(
		jen.Switch(jen.Id("i")).BlockFunc(func(g *jen.Group) {
			for i, p := range e.p.Outputs {
				g.Case(jen.Lit(i)).Block(jen.Comment(lineOf(p.Value.Name)), jen.Return(e.emitResult(jen.Id("s").Dot("out"), p)))
			}
		}),
		jen.Return(jen.Nil()),
	)
}

// holder returns the session's field with the inputs.
func (e *emitter) holder() string {
	if e.part == "" {
		return "in"
	}
	return "b"
}

// emitResult emits an output as a tensor:
//
//	tensor.Of(s.out.Y, s.out.YShape[:]...)
func (e *emitter) emitResult(from *jen.Statement, p *plan.Port) *jen.Statement {
	field := from.Clone().Dot(e.outs[p])
	if t := p.Value.Type; t.Kind == ir.Sequence && t.Of.Kind == ir.Map {
		return field.Dot("Sequence").Call()
	}
	if p.Value.Type.Kind != ir.Tensor {
		return jen.Op("&").Add(field)
	}
	if varies(p) {
		return jen.Qual(pkgTensor, "Of").Call(field, from.Clone().Dot(e.outs[p]+"Shape").Index(jen.Op(":")).Op("..."))
	}
	args := []jen.Code{field}
	for _, d := range p.Value.Type.Shape {
		args = append(args, e.emitDim(d))
	}
	return jen.Qual(pkgTensor, "Of").Call(args...)
}
